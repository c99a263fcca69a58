import type { CoreBench } from './core-bench.js';
import { GATEWAY } from './core-bench.js';
import { type Answer, httpClient } from './http-client.js';
import type { Json } from './openapi-kit.js';

/** One request to core and its answer. */
export interface Seen {
  /** The operation's `operationId`. */
  readonly id: string;
  readonly path: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly answer: Answer;
}

interface Step {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Core's operations: method and path by `operationId`. */
export type Paths = Readonly<Record<string, { readonly method: string; readonly path: string }>>;

/** Goes through core's API once, with a model and real runs through both gates, and resolves with everything that was said. */
export async function walkApi(bench: CoreBench, operations: Paths): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const ask = async (id: string, { path = {}, query = '', body, headers = {} }: Step = {}) => {
    const { method = 'GET', path: pattern = '' } = operations[id] ?? {};
    const address = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '');
    const answer = await bench.api({
      method,
      path: `${address}${query}`,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    seen.push({ id, path, body, answer });
    return answer;
  };
  const [run, second, third] = [await bench.stage(), await bench.stage(), await bench.stage()];
  await readLists(ask);
  await triage(ask, { run_id: run });
  await passGates(ask, { run_id: run });
  await readRun(ask, { run_id: run });
  await ask('rejectGateOne', { path: { run_id: second }, body: { reason: 'Known.' } });
  await ask('reopenRun', { path: { run_id: second } });
  await ask('mergeRun', { path: { run_id: third }, body: { into: second } });
  await ask('splitRun', { path: { run_id: third } });
  await ask('approveGateOne', { path: { run_id: second } });
  await ask('rejectGateTwo', { path: { run_id: second }, body: { reason: 'Not ours.', to: 'staged_raw' } });
  await ask('getActivity', { query: `?runs=${run},${second}` });
  await manage(bench, ask);
  return seen;
}

/** Sends every operation what core refuses. `run`: one that is published. */
export async function refuseApi(
  bench: CoreBench,
  operations: Readonly<Record<string, Json>>,
  run: string,
): Promise<readonly Seen[]> {
  const { api, core, host } = bench;
  const body = { name: 'refused', scopes: ['release'] };
  const { json } = await api({ method: 'POST', path: '/api/v1/tokens', body });
  const limited = httpClient(core.port, { host, authorization: `Bearer ${json.token}` });
  const seen: Seen[] = [];
  for (const [id, operation] of Object.entries(operations)) {
    const at = { method: operation.method, path: filled(operation.path, 'none') };
    for (const [name, send] of Object.entries(REFUSED)) {
      if (operation.method === 'GET' ? FOR_BODIES.has(name) : false) continue;
      const answer = await send({ ...bench, limited }, at);
      seen.push({ id, path: {}, body: undefined, answer });
    }
    if (operation.method === 'GET' && operation.responses[304] !== undefined) {
      const headers = { 'if-none-match': '*' };
      seen.push({
        id,
        path: {},
        body: undefined,
        answer: await api({ ...at, path: filled(operation.path, run), headers }),
      });
    }
    for (const answer of await sendAgain(bench, operation, run))
      seen.push({ id, path: {}, body: undefined, answer });
  }
  return seen;
}

type Send = (
  clients: Pick<CoreBench, 'api' | 'bare'> & { readonly limited: CoreBench['api'] },
  at: At,
) => Promise<Answer>;
interface At {
  readonly method: string;
  readonly path: string;
}

const REFUSED: Readonly<Record<string, Send>> = {
  nobody: ({ bare }, at) => bare(at),
  'another host': ({ api }, at) => api({ ...at, headers: { host: 'evil.example' } }),
  'another origin': ({ bare }, at) =>
    bare({ ...at, headers: { cookie: 'culprit_session=none', origin: 'https://evil.example' } }),
  'no scope': ({ limited }, at) => limited(at),
  'nothing there': ({ api }, at) => api({ ...at, path: `${at.path}?limit=0` }),
  'no JSON': ({ api }, at) => api({ ...at, body: '{"' }),
  'too much': ({ api }, at) => api({ ...at, body: '{}', headers: { 'content-length': '99999999' } }),
};
const FOR_BODIES = new Set(['no JSON', 'too much']);

/** The example of the description for no run and for a published one; and a key twice, for two requests. */
async function sendAgain({ api }: CoreBench, operation: Json, run: string): Promise<readonly Answer[]> {
  const { method, path, requestBody, parameters } = operation;
  const example = requestBody?.content['application/json'].example;
  const body = method === 'POST' || method === 'PUT' ? { body: example ?? {} } : {};
  const answers: Answer[] = [];
  if (path.startsWith('/api/v1/runs/{run_id}/') && method !== 'GET') {
    answers.push(await api({ method, path: filled(path, 'none'), ...body }));
    answers.push(await api({ method, path: filled(path, run), ...body }));
    answers.push(await api({ method, path: filled(path, run), ...body, headers: { 'if-match': '"0"' } }));
  }
  if (parameters.some(({ name }: Json) => name === 'Idempotency-Key')) {
    const headers = { 'idempotency-key': `"${operation.operationId}"`, 'content-type': 'application/json' };
    for (const one of ['1', '2'])
      answers.push(await api({ method, path: filled(path, 'none'), headers, body: one }));
  }
  return answers;
}

function filled(path: string, id: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'number' ? '1' : id));
}

type Ask = (id: string, step?: Step) => Promise<Answer>;

const FIT = {
  model: 'qwen3-8b',
  weights: [0, 1, 0.2, 0.4, -0.9, 0],
  ...{ cases: 41, measured_at: '2026-11-23T08:00:00.000Z' },
  reliability: [{ from: 0.9, to: 1, probability: 0.94, right: 19, of: 20 }],
};

async function readLists(ask: Ask): Promise<void> {
  await ask('getSession');
  await ask('listRuns', { query: '?state=staged_raw&limit=2' });
  await ask('listSearchValues', { query: '?field=state' });
  await ask('saveView', { body: { name: 'Fatal', address: '?search=level%3Afatal' } });
  await ask('listViews');
  await ask('deleteView', { query: '?name=Fatal' });
  await ask('listFailedNotifications');
  await ask('listQuotas');
  await ask('setModelFit', { body: FIT });
  await ask('getModel');
  await ask('getHealth');
  await ask('exportHistories', { query: '?limit=1' });
  await ask('getDigest');
}

async function triage(ask: Ask, path: { readonly run_id: string }): Promise<void> {
  await ask('commentOnRun', { path, body: { comment: 'Seen after the deploy.' } });
  await ask('claimRun', { path, body: { take_over: true } });
  await ask('releaseClaim', { path });
  await ask('snoozeRun', { path, body: { until: { kind: 'release' }, reason: 'Fixed in the next one.' } });
  await ask('wakeRun', { path });
}

/** As an agent: it asks, and hands in the ranking's own first suspect. */
async function investigate(ask: Ask, path: { readonly run_id: string }): Promise<void> {
  const [{ sha, hunk }] = (await ask('getRun', { path })).json.suspects;
  const lines = { path: hunk.path, from: 1, to: 2 };
  for (const [id, body] of Object.entries({
    ...{ readSource: lines, listFolder: {}, blameLines: lines, showCommit: { sha } },
    ...{ searchSource: { text: 'cart' }, searchHistory: { text: 'cart' }, showCrash: {}, showRanking: {} },
  }))
    await ask(id, { path, body });
  const quote = hunk.lines.find(({ kind }: { kind: string }) => kind === 'added').text.trim();
  const place = { path: hunk.path, line: 1 };
  const finding = { commits: [sha], mechanism: 'value_changed', place, quote };
  const { json } = await ask('submitFinding', {
    path,
    body: { ...finding, probability: 0.9, none_probability: 0 },
  });
  await ask('chooseSuspects', {
    path,
    body: { by: 'ranking' },
    headers: { 'if-match': `"${json.draft.digest}"` },
  });
  await ask('stopInvestigation', { path });
}

async function passGates(ask: Ask, path: { readonly run_id: string }): Promise<void> {
  await ask('approveGateOne', { path });
  await investigate(ask, path);
  const { json, headers } = await ask('getDraft', { path });
  await ask('previewDraft', { path });
  const edit = { title: `${json.title} (edited)`, body: json.body };
  const edited = await ask('editDraft', { path, body: edit, headers: { 'if-match': String(headers.etag) } });
  await ask('getDraftDifference', { path });
  await ask('approveGateTwo', { path, headers: { 'if-match': String(edited.headers.etag) } });
}

async function readRun(ask: Ask, path: { readonly run_id: string }): Promise<void> {
  for (const id of [
    'getRun',
    'getHistory',
    'getStory',
    'getStatistics',
    'getEvidence',
    'getStack',
    'getBrief',
    'getInvestigation',
  ])
    await ask(id, { path });
  await ask('listOccurrences', { path });
  await ask('getOccurrence', { path: { ...path, number: '1' } });
  await ask('verifyPublication', { path });
  await ask('getResolutionEffect', { path });
  await ask('resolveRun', { path, body: { next_release: true } });
  await ask('unresolveRun', { path });
}

async function manage({ api }: CoreBench, ask: Ask): Promise<void> {
  await api({
    method: 'POST',
    path: '/internal/v1/deliveries',
    headers: { authorization: `Bearer ${GATEWAY}` },
    body: { edge: 'edge-1', deliveries: [], guard: { dead_letters: 0, outcomes: {} } },
  });
  await ask('listEdges');
  await ask('getEdgeHistory');
  await ask('commandEdge', { path: { edge: 'edge-1' }, body: { kind: 'limits', values: { keyRate: 100 } } });
  const { json } = await ask('makeToken', { body: { name: 'ci', scopes: ['read', 'release'] } });
  await ask('listTokens');
  await ask('revokeToken', { path: { id: String(json.id) } });
  await ask('listSessions');
  await erasePerson(ask);
}

async function erasePerson(ask: Ask): Promise<void> {
  const person = 'kim@example.com';
  const settled = async (id: string) => {
    const path = { erasure_id: id };
    for (;;) {
      const { json } = await ask('getErasure', { path });
      if (!['counting', 'checking', 'erasing'].includes(json.state)) return json;
    }
  };
  const { json } = await ask('countErasure', { body: { person } });
  const { digest } = await settled(json.erasure_id);
  await ask('erasePerson', { path: { erasure_id: json.erasure_id }, body: { person, digest } });
  await settled(json.erasure_id);
  await ask('listErasures');
}
