// For authors of connectors.

export type { RawDelivery } from '../domain/delivery.js';
export type { Draft } from '../domain/draft.js';
export type { Claim, EvidenceItem, Explanation } from '../domain/explanation.js';
export type { Revision, Run } from '../domain/run.js';
export type { Trust } from '../domain/trust.js';
export { CulpritError, isCulpritError } from '../errors/error.js';
export { codeSpan, fence, safeTitle } from '../pipeline/draft/safe-markdown.js';
export { hasMarker } from '../pipeline/draft/trailer.js';
export { sanitiseText } from '../pipeline/sanitise/sanitise.js';
export type { Blame, CodeHost, Commit, Diff, RevisionHints, Tree } from '../ports/code-host.js';
export type { Explainer, ExplainRequest } from '../ports/explainer.js';
export type { Desk, Investigator, Tokens } from '../ports/investigator.js';
export type { Logger } from '../ports/logger.js';
export type { Notifier } from '../ports/notifier.js';
export type { IssueToPublish, PublishedComment, PublishedIssue, Publisher } from '../ports/publisher.js';
export type { ParsedCrash, ParsedDelivery, Tracker, Verification } from '../ports/tracker.js';
export { timeLimit } from '../resilience/time-limit.js';
export { silentLogger } from '../system.js';
export type { Check, Connector, ConnectorContext, ConnectorParts } from './connector.js';
export { defineConnector, secret } from './define-connector.js';
