import { git } from '@culprit/connectors/git';
import { otlp } from '@culprit/connectors/otlp';
import { sentry } from '@culprit/connectors/sentry';
import { errortracker, native } from '@culprit/connectors/signed-json';
import { storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import {
  type Connector,
  CulpritError,
  createEngine,
  type Engine,
  type EvidenceBundle,
  isCulpritError,
  type Logger,
  silentLogger,
} from '@culprit/core';
import {
  hasMarker,
  type ParsedDelivery,
  type PublishedIssue,
  type Publisher,
  type RawDelivery,
  type Tracker,
} from '@culprit/core/connector';
import type { Delivery } from '@culprit/core/internal/domain/delivery';
import { replay } from '@culprit/core/internal/pipeline/evidence/replay';
import { frozenClock, replayingCodeHost } from '@culprit/core/internal/pipeline/evidence/replay-parts';
import { sha256Hex } from '@culprit/core/internal/pipeline/hash';
import { sanitiseJson } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import type { IdGenerator } from '@culprit/core/internal/ports/id-generator';
import { NATIVE_ANSWERS } from '../edge/doors/answers.js';
import { createFairWork } from '../edge/doors/fair-work.js';
import { receive } from '../edge/doors/receive.js';
import { createGuards } from '../edge/guards/guards.js';
import { EDGE_LIMITS, NO_RATE_LIMITS } from '../edge/limits.js';
import type { Spool } from '../edge/spool/spool.js';
import type { CapturedRequest } from './captured.js';
import type { CaseResult, DeliveryCase, EvidenceCase, ReplayCase, RunResult, Until } from './replay-case.js';

/** Deliveries in one batch. */
const BATCH = 200;
const REVIEWER = { name: 'replay', via: 'engine' } as const;

interface InProcessOptions {
  readonly until: Until;
  /** True: only recorded responses are used. */
  readonly offline: boolean;
  /** Replaces the recorded responses. */
  readonly codeHost?: Connector;
  readonly onEvidence?: (bundle: EvidenceBundle) => void;
}

/** Replays cases in this process: no server, no network, nothing on disk. Each case has its own engine. */
export async function createReplayer(
  options: InProcessOptions,
): Promise<(one: ReplayCase) => Promise<CaseResult>> {
  const taker = await createTaker();
  return (one) => (one.kind === 'evidence' ? replayEvidence(one) : replayDeliveries(one, taker, options));
}

async function replayEvidence({ name, bundle, accepted }: EvidenceCase): Promise<CaseResult> {
  const expected = accepted?.runs[0]?.digest ?? bundle.draft.digest;
  const { title, occurrences } = bundle.incident;
  const about = { run_id: bundle.run_id, title, state: 'evidence', occurrences, expected };
  const common = { name, outcomes: {}, deliveries: 0 };
  try {
    const { draft, evidence } = await replay(bundle);
    const same = draft.digest === expected;
    const run: RunResult = {
      ...about,
      digest: draft.digest,
      verdict: same ? 'same' : 'different',
      detail: same ? null : otherVersions(bundle.versions, evidence.versions),
    };
    return { ...common, runs: [run], drafts: [draft] };
  } catch (error) {
    const run: RunResult = { ...about, digest: null, verdict: 'failed', detail: whyUnread(error) };
    return { ...common, runs: [run], drafts: [] };
  }
}

/** The same evidence gives the same bytes only in the same version, so a difference lists the parts that differ. */
function otherVersions(made: EvidenceBundle['versions'], here: EvidenceBundle['versions']): string | null {
  const others = Object.entries(here).filter(([part, version]) => made[part] !== version);
  if (others.length === 0) return null;
  const parts = others.map(([part, version]) => `${part} ${made[part] ?? 'unknown'} (here ${version})`);
  return `created by another version: ${parts.join(', ')}`;
}

async function replayDeliveries(
  one: DeliveryCase,
  taker: Taker,
  options: InProcessOptions,
): Promise<CaseResult> {
  const engine = await engineFor(one, options);
  try {
    const outcomes: Record<string, number> = {};
    const count = (outcome: string) => {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    };
    const deliveries = await taken(one, taker, count);
    const runIds = await ingest(engine, deliveries, count);
    const runs: RunResult[] = [];
    const drafts: CaseResult['drafts'][number][] = [];
    for (const [index, runId] of runIds.entries()) {
      runs.push(await pass(engine, runId, one.accepted?.runs[index]?.digest ?? null, options));
      const { draft } = await engine.run(runId);
      if (draft !== null) drafts.push(draft);
    }
    const missing = options.until === 'gate1' ? [] : (one.accepted?.runs.slice(runIds.length) ?? []);
    runs.push(...missing.map(({ title, digest }) => notStaged(title, digest)));
    return { name: one.name, runs, outcomes, drafts, deliveries: one.items.length };
  } finally {
    await engine.close();
  }
}

function notStaged(title: string, expected: string): RunResult {
  const detail = 'accepted earlier; now no delivery stages this run';
  return {
    run_id: '',
    title,
    state: 'absent',
    occurrences: 0,
    digest: null,
    expected,
    verdict: 'different',
    detail,
  };
}

/** The deliveries that the edge would have spooled. A delivery that a door rejects is counted by its outcome. */
async function taken(
  { items }: DeliveryCase,
  taker: Taker,
  count: (outcome: string) => void,
): Promise<readonly Delivery[]> {
  const accepted: Delivery[] = [];
  for (const item of items) {
    if ('delivery' in item) {
      accepted.push({ ...item.delivery, sequence: accepted.length + 1 });
      continue;
    }
    try {
      const crashes = await taker.take(item.request, item.receivedAt);
      if (crashes.length === 0) count('ignored');
      for (const crash of crashes) accepted.push({ sequence: accepted.length + 1, ...crash });
    } catch (error) {
      if (!isCulpritError(error)) throw error;
      count(error.code);
    }
  }
  return accepted;
}

/** Ids of the runs, in the order of staging. */
async function ingest(
  engine: Engine,
  deliveries: readonly Delivery[],
  count: (outcome: string) => void,
): Promise<readonly string[]> {
  const runIds = new Set<string>();
  for (let at = 0; at < deliveries.length; at += BATCH) {
    const batch = { edge: 'replay', deliveries: deliveries.slice(at, at + BATCH) };
    for (const { outcome, run_id } of (await engine.ingestBatch(batch)).outcomes) {
      count(outcome);
      if (run_id !== null) runIds.add(run_id);
    }
  }
  return [...runIds];
}

async function pass(
  engine: Engine,
  runId: string,
  expected: string | null,
  { until, onEvidence }: InProcessOptions,
): Promise<RunResult> {
  const about = async (more: Pick<RunResult, 'digest' | 'verdict' | 'detail'>): Promise<RunResult> => {
    const { title, state, occurrences } = await engine.run(runId);
    return { run_id: runId, title, state, occurrences, expected, ...more };
  };
  if (until === 'gate1') return about({ digest: null, verdict: 'staged', detail: null });
  try {
    await engine.approveGateOne(runId, REVIEWER);
    const digest = (await engine.run(runId)).draft?.digest ?? '';
    const evidence = await engine.evidence(runId);
    onEvidence?.(evidence);
    const derived = (await replay(evidence)).draft.digest;
    if (derived !== digest) {
      return about({ digest: derived, verdict: 'different', detail: 'the evidence gives a different draft' });
    }
    if (until === 'published') {
      await engine.approveGateTwo(runId, REVIEWER, { digest });
      const { verified, steps } = await engine.verify(runId);
      const broken = steps.find(({ ok }) => !ok);
      if (!verified) return about({ digest, verdict: 'different', detail: broken?.detail ?? null });
    }
    const verdict = expected === null ? 'new' : digest === expected ? 'same' : 'different';
    return about({ digest, verdict, detail: null });
  } catch (error) {
    return about({ digest: null, verdict: 'failed', detail: textOf(error) });
  }
}

/** Evidence that was changed, or that another version recorded, may fail anywhere. */
function whyUnread(error: unknown): string {
  return isCulpritError(error) ? error.message : `This evidence cannot be read: ${textOf(error)}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function engineFor(one: DeliveryCase, { offline, codeHost }: InProcessOptions): Promise<Engine> {
  const recorded = one.answers === null || codeHost ? null : replayingCodeHost({ calls: one.answers });
  const { repository } = one.project;
  const live = recorded === null && repository !== undefined && !offline;
  const host = codeHost ?? (live ? git({}) : null);
  const { explanation } = one;
  const ports: Connector = {
    id: 'recorded',
    setup: () => ({
      publisher: memoryIssues(new Date(one.at).toISOString()),
      ...(recorded === null ? {} : { codeHost: recorded }),
      ...(explanation === null ? {} : { explainer: { name: 'recorded', explain: async () => explanation } }),
    }),
  };
  return createEngine({
    connectors: [storage({ url: 'memory:' }), ports, template({}), ...(host === null ? [] : [host])],
    projects: { default: one.project },
    installKey: 'replay',
    clock: frozenClock(new Date(one.at).toISOString()),
    ids: countedIds(),
    logger: silentLogger,
  });
}

/** The same ids in every replay; they have no meaning and are part of no digest. */
function countedIds(): IdGenerator {
  let runs = 0;
  let events = 0;
  return {
    runId: () => `run_${String(++runs).padStart(26, '0')}`,
    eventId: () => String(++events).padStart(32, '0'),
  };
}

/** A publisher in memory. */
function memoryIssues(created_at: string): Publisher {
  const issues: (PublishedIssue & { readonly repository: string })[] = [];
  return {
    listsAtOnce: true,
    find: async (repository, marker) =>
      issues.find((issue) => issue.repository === repository && hasMarker(issue.body, marker)) ?? null,
    create: async ({ marker: _marker, ...content }) => {
      const number = issues.length + 1;
      const url = `replay:/issues/${number}`;
      const issue = { ...content, number, url, created_at, state: 'open' } as const;
      issues.push(issue);
      return issue;
    },
    read: async (repository, number) =>
      issues.find((issue) => issue.repository === repository && issue.number === number) ?? null,
  };
}

/** Not a credential: replayed deliveries were verified on receipt, so only parsing is repeated. */
const PLACEHOLDER = 'replayed_without_a_credential';

/** Processes captured requests as the edge does: decode, parse, check, sanitise. The spool is a list in memory. */
interface Taker {
  /** Rejects with the door's error. A request without a crash gives no deliveries. */
  take(request: CapturedRequest, receivedAt: number): Promise<readonly Omit<Delivery, 'sequence'>[]>;
}

export async function createTaker(logger: Logger = silentLogger): Promise<Taker> {
  const trackers = await openTrackers(logger);
  const limits = { ...EDGE_LIMITS, ...NO_RATE_LIMITS };
  const guards = createGuards(limits);
  const fairly = createFairWork();
  return {
    async take(request, receivedAt) {
      const tracker = trackers.get(request.tracker);
      if (tracker === undefined)
        throw new CulpritError('not_found', `No connector "${request.tracker}" for this delivery.`);
      const [path = '', query = ''] = request.path.split('?');
      const accepted: Omit<Delivery, 'sequence'>[] = [];
      const spool = {
        append: async (deliveries: readonly Omit<Delivery, 'sequence'>[]) =>
          void accepted.push(...deliveries),
      } as Spool;
      let refusal: unknown = null;
      const answers = {
        accepted: NATIVE_ANSWERS.accepted,
        refused: (error: unknown) => {
          refusal = error;
          return NATIVE_ANSWERS.refused(error);
        },
      };
      await receive(
        { guards, spool, sanitise: sanitiseJson, fairly, logger },
        { kind: request.door, name: request.tracker, tracker, answersOf: () => answers },
        {
          method: 'POST',
          path,
          params: { project: '1' },
          query: Object.fromEntries(new URLSearchParams(query)),
          headers: request.headers,
          body: request.body,
          receivedAt,
          remoteAddress: '127.0.0.1',
          signal: new AbortController().signal,
        },
      );
      if (refusal !== null) throw refusal;
      return accepted;
    },
  };
}

/** The doors' trackers. `verify` always succeeds, for project `default`. */
async function openTrackers(logger: Logger): Promise<ReadonlyMap<string, Tracker>> {
  const connectors: readonly Connector[] = [
    errortracker({ secrets: [{ project: 'default', secret: PLACEHOLDER }] }),
    native({ tokens: [{ project: 'default', name: 'replay', token: PLACEHOLDER }] }),
    otlp({ tokens: [{ project: 'default', name: 'replay', token: PLACEHOLDER }] }),
    sentry({ keys: [{ project: 'default', key: PLACEHOLDER }] }),
  ];
  const trackers = new Map<string, Tracker>();
  for (const connector of connectors) {
    const signal = new AbortController().signal;
    const { tracker } = await connector.setup({ fetch: globalThis.fetch, logger, signal });
    if (tracker === undefined) continue;
    // Without `trust`: the door's.
    const verify = () => ({ ok: true, project: 'default', credential: 'replay' }) as const;
    trackers.set(connector.id, { verify, parse: (delivery) => named(tracker.parse(delivery), delivery) });
  }
  return trackers;
}

/** A crash without an id gets one derived from its bytes, so that the same input gives the same draft. */
function named(parsed: ParsedDelivery, { body }: RawDelivery): ParsedDelivery {
  const crashes = parsed.crashes.map((crash, index) => ({
    ...crash,
    event_id: crash.event_id ?? sha256Hex(`${sha256Hex(body)}:${index}`).slice(0, 32),
  }));
  return { ...parsed, crashes };
}
