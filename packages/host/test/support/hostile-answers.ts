import type { HistoryEntry, Run, RunStory } from '@culprit/core';
import type { ModelStatus } from '@culprit/core/internal/domain/model-status';
import type { FollowUp } from '@culprit/core/internal/domain/resolution';
import { summarise } from '@culprit/core/internal/domain/run';
import type { RunError } from '@culprit/core/internal/domain/run-error';
import { makeDraft, makeOwnership } from '@culprit/core/internal/testing/make-run';
import { hostileStory } from '@culprit/core/internal/testing/notifier-contract';
import { hostileReads } from './hostile-reads.js';

const AT = '2026-01-05T09:00:00.000Z';
const LATER = '2099-01-05T09:00:00.000Z';
const SHA = 'a'.repeat(40);
const DIGEST = 'd'.repeat(64);
export const RUN = 'run_00000000000000000000000001';

/** Core's answers by method and path (without the query), as JSON. */
export type Answers = (method: string, path: string) => unknown;

/**
 * What core would answer if every text in it that somebody else may have written were one of these. A list has one entry for each;
 * a single thing has the first, and its lists all of them.
 */
export async function hostileAnswers(texts: readonly string[], state: Run['state']): Promise<Answers> {
  const [text = ''] = texts;
  const run = hostileRun(await hostileReads(text).getRun({ run_id: RUN }), texts, state);
  const lists = listsOf(texts);
  const table: Readonly<Record<string, unknown>> = {
    'GET /api/v1/runs': { runs: texts.map((one, n) => summarise(titled(run, one, n))), next: null },
    [`GET /api/v1/runs/${RUN}`]: run,
    [`GET /api/v1/runs/${RUN}/history`]: { entries: historyOf(texts), next: null },
    [`GET /api/v1/runs/${RUN}/story`]: storyOf(texts),
    [`GET /api/v1/runs/${RUN}/stack`]: await hostileReads(text).getStack({ run_id: RUN }),
    [`GET /api/v1/runs/${RUN}/draft/difference`]: {
      same: false,
      machine: { digest: DIGEST, title: text },
      current: { digest: DIGEST, title: text, edited_by: text },
      labels: { added: texts, removed: texts },
      assignees: { added: texts, removed: texts },
      body: '',
    },
    [`GET /api/v1/runs/${RUN}/draft/preview`]: { title: text, body: 'It fails.', divergence: texts },
    [`GET /api/v1/runs/${RUN}/occurrences`]: {
      occurrences: texts.map((one, n) => ({
        number: texts.length - n,
        event_id: one,
        received_at: AT,
        release: one,
        environment: one,
        door: 'sdk',
        trust: 'untrusted',
        user: one,
        stored: false,
      })),
      events: [],
      next: null,
    },
    [`GET /api/v1/runs/${RUN}/statistics`]: {
      occurrences: 3,
      hours: [],
      releases: texts.map((name) => ({ name, first_seen: AT, last_seen: AT, occurrences: 1 })),
      users: { count: 1, more: false },
      tags: texts.map((name) => ({
        name,
        occurrences: 3,
        values: [{ value: name, occurrences: 3 }],
        other: 0,
      })),
    },
    [`GET /api/v1/runs/${RUN}/verification`]: {
      run_id: RUN,
      issue_url: text,
      verified: false,
      derived_digest: DIGEST,
      machine_digest: DIGEST,
      signed_digest: DIGEST,
      edited: { by: text, at: AT },
      steps: [{ name: 'title', ok: false, detail: text }],
    },
    'GET /api/v1/model': { model: modelOf(texts), fit: null },
    [`POST /api/v1/runs/${RUN}/gate2/approve`]: { status: 'published', issue_url: text },
    [`POST /api/v1/runs/${RUN}/claim`]: run,
    [`POST /api/v1/runs/${RUN}/comments`]: run,
    [`POST /api/v1/runs/${RUN}/resolution`]: run,
    'GET /api/v1/tokens': { tokens: lists.tokens, next: null },
    'DELETE /api/v1/tokens/tok_0': { revoked: texts.map((name, n) => ({ id: `tok_${n}`, name })) },
    'GET /api/v1/sessions': { sessions: lists.sessions, next: null },
    'GET /api/v1/views': { views: texts.map((name) => ({ name, address: addressOf(name) })), next: null },
    'GET /api/v1/search-values': { values: texts.map((value) => ({ value, runs: 1 })) },
    'GET /api/v1/health': {
      ...{ state: 'failed', checked_at: AT },
      checks: texts.map((name) => ({ name, state: 'failed', detail: name, since: AT })),
    },
    'GET /api/v1/webhooks': { webhooks: lists.webhooks, next: null },
    'GET /api/v1/webhooks/wh_0': lists.webhooks[0],
    'GET /api/v1/webhooks/wh_0/dead': {
      deliveries: texts.map((id) => ({
        ...{ id, type: 'run.created', at: AT, attempts: 3, code: 'refused', status: 500 },
      })),
      next: null,
    },
    'GET /api/v1/releases': { releases: lists.releases, total: texts.length, next: null },
    'GET /api/v1/source-maps': {
      uploads: lists.uploads,
      used_bytes: 1,
      quota_bytes: 1,
      project_quota_bytes: null,
      keep_ms: 86_400_000,
      next: null,
    },
    'GET /api/v1/notifications/failed': {
      notifications: texts.map((one, n) => ({
        ...{ connector: one, run_id: `${RUN}_${n}`, state: 'staged_raw', at: AT, attempts: 3 },
        ...{ code: one, detail: one },
      })),
      next: null,
    },
    'GET /api/v1/edges': { edges: texts.map(edgeOf), next: null },
    'GET /api/v1/edges/history': { edges: texts.map((edge) => ({ edge, points: [] })) },
    'GET /api/v1/quotas': {
      quotas: texts.map((one) => ({
        ...{ scope: 'key', project: one, door: 'sdk', key: one, refused: 1 },
        ...{ used: { new_runs: 1, open_runs: 1, bytes: 1 }, limits: { new_runs: 1, open_runs: 1, bytes: 1 } },
      })),
      next: null,
    },
    'GET /api/v1/digest': digestOf(texts),
  };
  return (method, path) =>
    table[`${method} ${path}`] ??
    (/^GET \/api\/v1\/releases\/./.test(`${method} ${path}`) ? detailOf(texts) : undefined);
}

/** The address of a view that searches for the text. */
function addressOf(text: string): string {
  return `?${new URLSearchParams({ search: text.slice(0, 80) })}`;
}

const titled = (run: Run, text: string, n: number): Run => ({
  ...run,
  run_id: n === 0 ? RUN : `run_${String(n).padStart(26, '0')}`,
  title: text,
  project: text,
});

function hostileRun(run: Run, texts: readonly string[], state: Run['state']): Run {
  const [text = ''] = texts;
  const error: RunError = { code: text, detail: text, retryable: false };
  const effect: FollowUp = {
    ...{ number: 1, by: text, at: AT, state: 'failed', comment: text, set: null, comment_url: null },
    ...{
      done_at: null,
      error,
      progress: { attempts: 1, ambiguous: false, looks: 0, failures: 1, not_before: null },
    },
  };
  const isPublished = state === 'published';
  return {
    ...run,
    run_id: RUN,
    state,
    releases: texts,
    environments: texts,
    users: { count: 3, more: false },
    last_error: error,
    ownership: makeOwnership(text, text),
    release_window: {
      version: text,
      commits: 3,
      more_commits: false,
      deploy: { environment: text, at: AT, after_ms: 60_000 },
    },
    returned: { at: AT, by: text, reason: text },
    woken: { at: AT, why: 'release', release: text },
    claim: { by: text, at: AT, until: LATER },
    comments: texts.length,
    members: [],
    merged_into: null,
    regression_of: 'run_before',
    draft: makeDraft({ edited_by: text, labels: [...texts], assignees: [...texts] }),
    fix: null,
    ...(isPublished
      ? {
          publication: { issue_url: text, number: 7, published_at: AT, digest: DIGEST, divergence: [] },
          resolution: { as: 'fixed', by: text, at: AT, not_in: texts },
          follow_up: effect,
          link_back: { issue: { repository: text, number: 1, url: text }, change: effect },
          hand_offs: [{ to: 'webhook', by: text, at: AT, digest: DIGEST, state: 'failed', error }],
        }
      : { publication: null }),
  };
}

function historyOf(texts: readonly string[]): readonly HistoryEntry[] {
  return texts.flatMap((text, n) =>
    (['comment', 'gate1.reject'] as const).map(
      (name, at): HistoryEntry => ({
        ...{
          sequence: 2 * n + at + 1,
          at: AT,
          kind: 'decision',
          name,
          by: text,
          via: 'api',
          from: null,
          to: null,
        },
        ...{ digest: null, ms: null, error: null },
        detail: name === 'comment' ? { comment: text } : { reason: text },
      }),
    ),
  );
}

function storyOf(texts: readonly string[]): RunStory {
  const { chapters } = hostileStory(RUN);
  const [chapter] = chapters;
  if (chapter === undefined) return { chapters, whole: true };
  const said = texts.map((text, n) => ({
    ...chapter,
    run_id: n === texts.length - 1 ? RUN : `run_before_${n}`,
    release: text,
    fixed_in: text,
    issue: { number: 7, url: text, published_at: AT, reopened: false },
  }));
  return {
    chapters: [
      { ...chapter, run_id: 'run_before', release: texts[0] ?? '', fixed_in: texts[0] ?? '' },
      ...said,
    ],
    whole: false,
  };
}

function listsOf(texts: readonly string[]) {
  const access = (projects: string[]) => ({
    scopes: ['read'],
    projects,
    grants: [{ scopes: ['read'], projects }],
  });
  return {
    tokens: texts.map((name, n) => ({
      ...{ id: `tok_${n}`, name, scopes: ['read'], projects: [name], made_by: name, made_with: null },
      ...{ made_at: AT, expires_at: null, last_used_at: null },
    })),
    sessions: texts.map((name, n) => ({
      ...{ session_id: `ses_${n}`, name, current: false, signed_in_with: 'provider', ...access([name]) },
      ...{ program: name, network: 'public', opened_at: AT, seen_at: AT, expires_at: LATER },
    })),
    webhooks: texts.map((name, n) => ({
      ...{ id: `wh_${n}`, name, url: name, events: ['run.created'], projects: [name], levels: [] },
      ...{ environments: [name], enabled: true, created_at: AT, created_by: name, turned_off: null },
      ...{ last_success_at: null, last_failure: null, failing_since: null, dead: 1 },
    })),
    releases: texts.map((version) => releaseOf(version)),
    uploads: texts.map((name, n) => ({
      ...{ id: `map_${n}`, project: name, release: n % 2 === 0 ? name : null, dist: name, uploaded_at: AT },
      ...{ used_at: AT, kept_until: LATER, files: 1, bytes: 1, names: [name], unreadable: [name] },
    })),
  };
}

function releaseOf(text: string) {
  const release = {
    ...{ project: text, version: text, created_at: AT, started_at: AT, finalised_at: AT, url: text },
    ...{ archived: false, commit: SHA, previous_commit: SHA, commits: 1, more_commits: false },
    deploys: [{ id: text, environment: text, name: text, url: text, started_at: AT, finished_at: AT }],
  };
  const counts = {
    ...{ version: text, first_crash_at: AT, last_crash_at: AT, crashes: 3, new_runs: 1, regressed_runs: 0 },
    ...{ hour_share: null, day_share: null },
  };
  return { project: text, version: text, at: AT, release, counts };
}

function detailOf(texts: readonly string[]) {
  const one = releaseOf(texts[0] ?? '');
  return {
    ...one,
    release: {
      ...one.release,
      deploys: texts.map((text, n) => ({ ...releaseOf(text).release.deploys[0], id: `deploy_${n}` })),
    },
    commits: texts.map((title, n) => ({ sha: n.toString(16).padStart(40, '0'), title, committed_at: AT })),
  };
}

function edgeOf(text: string, n: number) {
  return {
    edge: n === 0 ? 'edge-0' : text,
    received_at: AT,
    figures: {
      url: text,
      started_at: text,
      spool: { depth: 1, bytes: 1, oldest_age_ms: 1, fault: text },
      forwarder: { state: text, last_error: text, circuit: text },
      dead_letters: 1,
      crashes: 1,
      outcomes: {},
    },
    limits: { [text]: { value: 1, configured: 2 } },
    dead_letters: [{ sequence: 1, at: AT, event_id: text, project: text, door: text, detail: text }],
    commands: [
      {
        ...{ id: 'command', action: { kind: 'drop', sequences: [1] }, by: text, at: AT },
        ...{ status: 'failed', detail: text },
      },
    ],
  };
}

function digestOf(texts: readonly string[]) {
  const about = texts.map((text) => ({ run_id: RUN, project: text, title: text }));
  const part = (more: (text: string) => object) => ({
    count: texts.length,
    runs: about.map((one) => ({ ...one, ...more(one.title) })),
  });
  return {
    ...{ since: AT, until: AT, new_runs: 1, failed_analyses: 0, complete: true },
    waiting: {
      ...{ at: AT, gate1: 1, gate2: 0 },
      oldest: about.map((one) => ({ ...one, state: 'staged_raw', first_seen: AT })),
    },
    gates: {
      gate1: { decisions: 1, median_wait_ms: null },
      gate2: { decisions: 1, median_wait_ms: null },
    },
    reviewers: texts.map((name) => ({ name, decisions: { [name]: 1 } })),
    published: part((text) => ({ at: AT, number: 1, issue_url: text, reopened: false })),
    rejected: part((text) => ({ at: AT, by: text, reason: text })),
    regressions: part(() => ({ at: AT, state: 'staged_raw', regression_of: 'run_before' })),
  };
}

/** A model whose server writes everything that it can. */
function modelOf(texts: readonly string[]): ModelStatus {
  const [text = ''] = texts;
  return {
    ...{ explainer: text, model: text, version: text, state: 'unusable', reason: text, probed_at: AT },
    limits: texts.map((detail, n) => ({ name: 'schema', holds: [true, false, null][n % 3] ?? null, detail })),
  };
}
