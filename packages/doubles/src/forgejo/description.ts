import type { Operation as Described } from '../shared/description.js';

/** One operation of the Swagger description, with the token's scope that its route demands. */
export interface Operation extends Described {
  /** Its `operationId`. */
  readonly id: string;
  /** `null`: no token is needed. */
  readonly category: 'repository' | 'issue' | 'user' | 'organization' | null;
}

const REPO = '/repos/{owner}/{repo}';
const PAGES = { page: 'integer', limit: 'integer' } as const;
const issue = { category: 'issue' } as const;
const TEXTS = { title: 'string', body: 'string', ref: 'string', assignee: 'string' } as const;

/** The operations that the connector uses, by method and path below `/api/v1`. Sources: RULES.md, "Description". */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /version': { id: 'getVersion', category: null },
  'GET /user': { id: 'userGetCurrent', category: 'user' },
  [`GET ${REPO}`]: { id: 'repoGet', category: 'repository' },
  [`GET ${REPO}/assignees`]: { id: 'repoGetAssignees', category: 'repository' },
  [`GET ${REPO}/commits/{sha}/pull`]: { id: 'repoGetCommitPullRequest', category: 'repository' },
  [`GET ${REPO}/labels`]: { ...issue, id: 'issueListLabels', query: PAGES },
  'GET /orgs/{org}/labels': {
    ...{ id: 'orgListLabels', category: 'organization' },
    query: { ...PAGES, sort: 'string' },
  },
  [`GET ${REPO}/issues`]: {
    ...{ ...issue, id: 'issueListIssues' },
    query: {
      ...PAGES,
      state: ['closed', 'open', 'all'],
      labels: 'string',
      q: 'string',
      type: ['issues', 'pulls'],
      milestones: 'string',
      since: 'datetime',
      before: 'datetime',
      created_by: 'string',
      assigned_by: 'string',
      mentioned_by: 'string',
    },
  },
  [`GET ${REPO}/issues/{index}`]: { ...issue, id: 'issueGetIssue' },
  [`GET ${REPO}/issues/{index}/comments`]: {
    ...{ ...issue, id: 'issueGetComments' },
    query: { since: 'datetime', before: 'datetime' },
  },
  [`POST ${REPO}/issues`]: {
    ...{ ...issue, id: 'issueCreateIssue' },
    body: {
      ...TEXTS,
      assignees: 'strings',
      due_date: 'datetime',
      milestone: 'integer',
      labels: 'integers',
      closed: 'boolean',
    },
    required: ['title'],
  },
  [`PATCH ${REPO}/issues/{index}`]: {
    ...{ ...issue, id: 'issueEditIssue' },
    body: {
      ...TEXTS,
      assignees: 'strings',
      milestone: 'integer',
      state: 'string',
      due_date: 'datetime',
      unset_due_date: 'boolean',
    },
  },
  [`POST ${REPO}/issues/{index}/comments`]: {
    ...{ ...issue, id: 'issueCreateComment' },
    body: { body: 'string' },
    required: ['body'],
  },
  [`POST ${REPO}/issues/{index}/labels`]: {
    ...{ ...issue, id: 'issueAddLabel' },
    body: { labels: 'integers' },
  },
  [`POST ${REPO}/labels`]: {
    ...{ ...issue, id: 'issueCreateLabel' },
    body: {
      name: 'string',
      color: 'string',
      description: 'string',
      exclusive: 'boolean',
      is_archived: 'boolean',
    },
    required: ['name', 'color'],
  },
};
