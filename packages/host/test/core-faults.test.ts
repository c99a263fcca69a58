import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeDelivery } from '@culprit/core/internal/testing/builders';
import fc from 'fast-check';
import t from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { isFull, randomBetween, seed } from '../../../bench/faults/lib/random.mjs';
import { coreBench, GATEWAY, TOKEN } from './support/core-bench.js';
import { type CrashingRepository, cartCrash, crashingRepository } from './support/crashing-repository.js';
import { type Answer, httpClient } from './support/http-client.js';
import { brokenDisk, fullDisk, whyNoDisk } from './support/spoiled-disk.js';
import { testedDriver } from './support/tested-driver.js';
import { openSocket } from './support/websocket-client.js';

const BIN = fileURLToPath(new URL('../dist/bin/culprit.js', import.meta.url));
const ROUNDS = isFull ? 3 : 2;
const RUNS = 16;

interface Core {
  readonly port: number;
  readonly api: ReturnType<typeof httpClient>;
  kill(): Promise<void>;
}

/** Core alone, on the data directory of the previous one. */
async function startCore(data: string, repository: CrashingRepository): Promise<Core> {
  const args = [BIN, 'core', '--data', data, '--core-port', '0', '--repository', repository.directory];
  // All secrets are set, so that core generates none.
  const env = {
    PATH: process.env.PATH,
    HTTP_DRIVER: testedDriver(),
    REVIEWER_TOKENS: `ada:${TOKEN}`,
    INTERNAL_GATEWAY_SECRET: GATEWAY,
    SERVICE_TOKENS: 'shop:service-token-0123456789',
    TRACKER_HOOK_SECRET: 'hook-secret-0123456789',
    SDK_KEYS: 'default:0123456789abcdef0123456789abcdef',
  };
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: data,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    ended.then(() => reject(new Error('core ended before it listened')));
    createInterface(child.stdout ?? process.stdin).on('line', (line) => {
      const { msg, port } = JSON.parse(line) as { msg: string; port?: number };
      if (msg === 'core is listening' && port !== undefined) resolve(port);
    });
  });
  const headers = { host: `127.0.0.1:${port}`, authorization: `Bearer ${TOKEN}` };
  return {
    port,
    api: httpClient(port, headers),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function stage(core: Core, head: string): Promise<string[]> {
  const deliveries = Array.from({ length: RUNS }, (_, index) =>
    makeDelivery({
      sequence: index + 1,
      event_id: `c${index}`,
      crash: { ...cartCrash(`c${index}`, head), fingerprint: [`own-${index}`] },
    }),
  );
  const { status, json } = await core.api({
    method: 'POST',
    path: '/internal/v1/deliveries',
    headers: { authorization: `Bearer ${GATEWAY}` },
    body: { edge: 'edge-1', deliveries },
  });
  if (status !== 200) throw new Error(`The deliveries were refused with ${status}.`);
  return json.outcomes.map(({ run_id }: { run_id: string }) => run_id);
}

const gate = (core: Core, runId: string, number: 1 | 2): Promise<Answer> =>
  core.api({ method: 'POST', path: `/api/v1/runs/${runId}/gate${number}/approve` });

/** Approves both gates while core runs. */
async function passGates(core: Core, runId: string): Promise<void> {
  await gate(core, runId, 1);
  await gate(core, runId, 2);
}

t.test(
  'property: kill -9 of core at any point of either gate: no run is stuck or has a second issue',
  { timeout: 600_000 },
  async (t) => {
    const data = temporaryFolder(t, 'kill');
    const repository = crashingRepository(join(data, 'shop'));
    let core = await startCore(data, repository);
    const runs = await stage(core, repository.head);
    t.equal(new Set(runs).size, RUNS);
    for (let round = 0; round < ROUNDS; round++) {
      // The feed reports every change of state, so its nth message is a point within a gate.
      const feed = await openSocket(core.port, '/api/v1/live', { authorization: `Bearer ${TOKEN}` });
      await feed.next();
      const mine = runs.filter((_, index) => index % ROUNDS === round || index % 3 === round % 3);
      const reviewing = mine.map((runId) => passGates(core, runId).catch(() => {}));
      for (let seen = randomBetween(0, 2 * mine.length); seen > 0; seen--) {
        await Promise.race([feed.next(), Promise.all(reviewing)]);
      }
      await core.kill();
      await Promise.all(reviewing);
      core = await startCore(data, repository);
    }
    const crowd = runs.map(async (runId) => {
      const first = await Promise.all(Array.from({ length: 12 }, () => gate(core, runId, 1)));
      const second = await Promise.all(Array.from({ length: 12 }, () => gate(core, runId, 2)));
      return [...first, ...second].map(({ status }) => status);
    });
    t.same(
      [...new Set((await Promise.all(crowd)).flat())],
      [200],
      'simultaneous approvals get the same response',
    );
    for (const runId of runs) {
      const { json } = await core.api({ path: `/api/v1/runs/${runId}` });
      t.match(json, { state: 'published', occurrences: 1, publication: { digest: json.draft.digest } });
    }
    const files = readdirSync(join(data, 'outbox')).filter((name) => name.endsWith('.md'));
    const owners = files.map(
      (name) => /run_[0-9a-z]{26}/.exec(readFileSync(join(data, 'outbox', name), 'utf8'))?.[0],
    );
    t.same(owners.sort(), [...runs].sort(), 'exactly one issue per run');
    await core.kill();
  },
);

interface Hostile {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Mostly valid requests with an invalid part, so that they pass most checks. */
function hostile(runs: readonly string[]): fc.Arbitrary<Hostile> {
  const odd = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.constantFrom('..', '%2e%2e%2f', '%00', '__proto__', 'constructor', 'HEAD', '-1', '1e9', '%zz', '٣'),
  );
  const id = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...runs) }, odd);
  const part = (text: fc.Arbitrary<string>) =>
    text.map((raw) =>
      /^[\x21-\x7e]*$/.test(raw) ? raw.replace(/[ #?]/g, '-') : encodeURIComponent(clean(raw)),
    );
  const path = fc.oneof(
    fc
      .tuple(
        part(id),
        fc.constantFrom(
          ...['', '/history', '/draft', '/gate1/approve', '/gate1/reject', '/gate2/approve', '/gate2/reject'],
          ...['/evidence', '/verification', '/difference'],
        ),
      )
      .map(([run, rest]) => `/api/v1/runs/${run}${rest}`),
    fc
      .dictionary(fc.constantFrom('state', 'project', 'q', 'order', 'cursor', 'limit', 'since'), odd)
      .map((query) => `/api/v1/runs?${new URLSearchParams(map(query))}`),
    fc.tuple(part(odd), part(odd), part(odd)).map((parts) => `/code/${parts.join('/')}`),
    part(odd).map((number) => `/outbox/${number}`),
    part(odd).map((rest) => `/${rest}`),
    fc.constantFrom(
      '/api/v1/session',
      '/internal/v1/deliveries',
      '/openapi.json',
      '/metrics',
      '/api/v1/live',
    ),
  );
  const json = fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc.record({
      reason: fc.oneof(odd, fc.jsonValue()),
      to: fc.constantFrom('staged_raw', 'rejected', 'x', 5),
    }),
    fc.record({ title: fc.oneof(odd, fc.jsonValue()), body: odd, labels: fc.jsonValue() }),
    fc.record({ token: fc.oneof(odd, fc.jsonValue()) }),
    fc.record({ edge: odd, deliveries: fc.array(fc.oneof(fc.jsonValue(), fc.constant(makeDelivery()))) }),
    fc.constant('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  );
  const body = fc.oneof(
    { weight: 2, arbitrary: fc.constant('') },
    {
      weight: 4,
      arbitrary: json.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
    },
    fc.string({ maxLength: 200 }),
  );
  const headers = fc.record(
    {
      authorization: fc.oneof(
        { weight: 8, arbitrary: fc.constant(`Bearer ${TOKEN}`) },
        { weight: 2, arbitrary: fc.constant(`Bearer ${GATEWAY}`) },
        fc.constantFrom('Bearer', 'Bearer ', 'Basic QQ==', 'Bearer \u00ff'),
      ),
      'if-match': fc.constantFrom('*', '"x"', 'W/"x"', '', '"', '""', ', ,'),
      'if-none-match': fc.constantFrom('*', '"x"'),
      cookie: fc.constantFrom('culprit_session=', `culprit_session=${'A'.repeat(43)}`, ';;=;', '__proto__=1'),
      origin: fc.constantFrom('null', 'http://evil.example', ''),
      'x-forwarded-for': fc.constantFrom('1.2.3.4', '::1, junk'),
    },
    { requiredKeys: ['authorization'] },
  );
  const bytes = body.map((text) => Buffer.from(text));
  const any = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH');
  const fitting = fc
    .record({ path, headers, body: bytes })
    .map((one) => ({ method: methodOf(one.path), ...one }));
  const other = fc.record({ method: any, path, headers, body: bytes });
  return fc.oneof({ weight: 4, arbitrary: fitting.map(bodyless) }, { weight: 1, arbitrary: other });
}

/** The method of the route, if the path is a route. */
function methodOf(path: string): string {
  if (/\/(?:gate[12]\/\w+|session|deliveries)$/.test(path)) return 'POST';
  return path.endsWith('/draft') && path.length % 2 === 0 ? 'PUT' : 'GET';
}
const bodyless = (one: Hostile): Hostile => (one.method === 'GET' ? { ...one, body: Buffer.alloc(0) } : one);

const clean = (text: string) => Buffer.from(text).toString();
const map = (query: Record<string, string>) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, clean(value)]));

/** The status, or the error without a response. */
function send(
  agent: Agent,
  port: number,
  { method, path, headers, body }: Hostile,
): Promise<number | string> {
  return new Promise((resolve) => {
    const length = body.length > 0 ? { 'content-length': body.length } : {};
    const all = { host: `127.0.0.1:${port}`, ...length, ...headers };
    const sent = request({ agent, host: '127.0.0.1', port, method, path, headers: all }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 'none'));
    });
    sent.on('error', (error) => resolve(error.message));
    sent.end(body);
  });
}

t.test('property: hostile requests to the management routes', { timeout: 600_000 }, async (t) => {
  const { core, api, stage, close } = await coreBench();
  t.teardown(close);
  const runs = [await stage(), await stage(), await stage()];
  const requests = fc.sample(hostile(runs), {
    numRuns: Number(process.env.HOSTILE_REQUESTS ?? (isFull ? 3_500 : 1_200)),
    seed,
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const statuses = new Map<string, number>();
  const wrong: unknown[] = [];
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < requests.length; index = next++) {
      const one = requests[index] as Hostile;
      const status = await send(agent, core.port, one);
      statuses.set(String(status), (statuses.get(String(status)) ?? 0) + 1);
      if (typeof status === 'string' || status >= 500)
        wrong.push({ ...one, body: one.body.toString(), status });
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  agent.destroy();
  t.comment(`statuses ${JSON.stringify(Object.fromEntries([...statuses].sort()))}`);
  t.same(wrong.slice(0, 3), [], 'every request gets a response, none with 5xx');
  t.ok((statuses.get('200') ?? 0) > 30, 'some requests succeed');
  t.equal(({} as { polluted?: boolean }).polluted, undefined);
  t.equal((await api({ path: '/api/v1/runs' })).status, 200, 'core still works');
});

for (const [name, make, reason] of [
  ['runs full', fullDisk, /no space|ENOSPC/i],
  ['turns read-only', brokenDisk, /read-only|EROFS|input\/output/i],
] as const) {
  const skip = await whyNoDisk(make);
  t.test(
    `core's disk ${name}: 503 with the reason, no loss, recovers without a restart`,
    { skip },
    async (t) => {
      const root = temporaryFolder(t, 'disk');
      const disk = make(root);
      t.teardown(disk.remove);
      const repository = crashingRepository(join(root, 'shop'));
      let core = await startCore(disk.at, repository);
      t.teardown(() => core.kill());
      const send = (from: number, count = 5) =>
        core.api({
          method: 'POST',
          path: '/internal/v1/deliveries',
          headers: { authorization: `Bearer ${GATEWAY}` },
          body: {
            edge: 'edge-1',
            deliveries: Array.from({ length: count }, (_, n) =>
              makeDelivery({
                sequence: from + n,
                event_id: `d${from + n}`,
                crash: { ...cartCrash(`d${from + n}`, repository.head), fingerprint: ['one'] },
              }),
            ),
          },
        });
      const first = await send(1);
      t.equal(first.status, 200);
      const runId: string = first.json.outcomes[0].run_id;
      const run = () => core.api({ path: `/api/v1/runs/${runId}` });
      t.equal((await gate(core, runId, 1)).status, 200);

      disk.spoil();
      let refused = await send(6);
      // Preallocated blocks may hold a little more.
      for (let tries = 0; refused.status === 200 && tries < 2_000; tries++)
        refused = await send(6 + 5 * (tries + 1));
      t.match(refused, { status: 503, json: { code: 'storage_unavailable' } });
      t.match(refused.json.detail, reason);
      t.match(await gate(core, runId, 2), { status: 503, json: { code: 'storage_unavailable' } });
      t.match(await core.api({ path: '/readyz' }), { status: 503 });
      const kept = (await run()).json;
      t.match(kept, { state: 'staged_draft' }, 'stored data stays readable');

      disk.mend();
      const again = await send(1, kept.occurrences + 5);
      t.match(
        again,
        { status: 200, json: { watermark: kept.occurrences + 5 } },
        'the edge resends rejected deliveries',
      );
      // Health checks are cached for two seconds.
      for (let ready = 0; ready !== 200; ) ready = (await core.api({ path: '/readyz' })).status;
      t.match(await gate(core, runId, 2), { status: 200, json: { status: 'published' } });
      const whole = (await run()).json;
      t.match(whole, { state: 'published', occurrences: kept.occurrences + 5 }, 'every event counts once');

      await core.kill();
      core = await startCore(disk.at, repository);
      t.same((await run()).json, whole, 'the same after a restart');
      const issues = readdirSync(join(disk.at, 'outbox')).filter((file) => file.endsWith('.md'));
      t.equal(issues.length, 1);
    },
  );
}
