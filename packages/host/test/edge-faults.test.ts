import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync, gzipSync } from 'node:zlib';
import { sha256Hex } from '@culprit/core/internal/pipeline/hash';
import fc from 'fast-check';
import t from 'tap';
import { randomBetween, seed } from '../../../bench/faults/lib/random.mjs';
import { HTTP_DOORS } from '../src/edge/guards/guards.js';
import { NO_RATE_LIMITS } from '../src/edge/limits.js';
import {
  EVENT,
  edge,
  envelope,
  fakeCore,
  KEY,
  post,
  scratch,
  sign,
  spooled,
  TOKEN,
  toNative,
  toSdk,
  toWebhook,
  until,
} from './support/edge-kit.js';
import { testedDriver } from './support/tested-driver.js';

const MIB = 1024 * 1024;
const CHILD = fileURLToPath(new URL('../test/support/edge-child.mjs', import.meta.url));
const FIXTURES = fileURLToPath(new URL('../test/fixtures/ingest/', import.meta.url));

interface Child {
  readonly process: ChildProcess;
  /** The edge's own process id, also if strace is its parent. */
  readonly pid: number;
  readonly port: number;
}

/** An edge in its own process, started by `command` (such as strace). */
async function child(directory: string, coreUrl: string, command: readonly string[] = []): Promise<Child> {
  const [program = process.execPath, ...rest] = [...command, process.execPath, CHILD, directory, coreUrl];
  const started = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HTTP_DRIVER: testedDriver() },
  });
  const line = await new Promise<string>((resolve, reject) => {
    started.stdout.once('data', (text) => resolve(String(text)));
    started.once('exit', (code) => reject(new Error(`the edge exited with ${code} before it listened`)));
  });
  const [port = 0, pid = 0] = line.split(' ').map(Number);
  return { process: started, port, pid };
}

async function end(edge: Child, signal: NodeJS.Signals): Promise<void> {
  const gone = new Promise((resolve) => edge.process.once('exit', resolve));
  process.kill(edge.pid, signal);
  await gone;
}

interface Sent {
  readonly status: number | null;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Sends bytes unchanged; `status` is null without a response. */
function send(
  agent: Agent,
  port: number,
  path: string,
  body: Uint8Array,
  headers: Record<string, string>,
): Promise<Sent> {
  return new Promise((resolve) => {
    const lost = () => resolve({ status: null, body: '', headers: {} });
    const out = request({ agent, port, host: '127.0.0.1', method: 'POST', path, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? null, body: text, headers: answer.headers }),
      );
      answer.on('error', lost);
    });
    out.on('error', lost);
    out.end(body);
  });
}

t.test('kill -9 under load: acknowledged deliveries are on disk and arrive exactly once', async (t) => {
  const directory = await scratch(t);
  const core = await fakeCore(t);
  const acknowledged = new Set<string>();
  const rounds = 3;
  for (let round = 0; round < rounds; round++) {
    const agent = new Agent({ keepAlive: true, maxSockets: 32 });
    const running = await child(directory, core.url);
    let sending = true;
    let count = 0;
    const sender = async (lane: number) => {
      for (let index = 0; sending; index++) {
        const id = `r${round}-${lane}-${index}`;
        const body = Buffer.from(
          JSON.stringify({ event_id: id, message: 'boom', extra: { filler: 'x'.repeat(500) } }),
        );
        const { status } = await send(agent, running.port, '/api/v1/telemetry/ingest', body, {
          'x-service-token': TOKEN,
        });
        if (status === 202) acknowledged.add(id);
        count++;
      }
    };
    const senders = Array.from({ length: 32 }, (_, lane) => sender(lane));
    const enough = randomBetween(200, 500);
    await until(() => count >= enough);
    const killed = end(running, 'SIGKILL');
    sending = false;
    await Promise.all([killed, ...senders]);
    agent.destroy();
  }
  const last = await child(directory, core.url);
  const onDisk = await spooled(directory);
  const arrived = () => new Set(core.received.map(({ event_id }) => event_id));
  await until(() => onDisk.every(({ event_id }) => arrived().has(event_id)));
  await end(last, 'SIGTERM');
  const kept = new Set(onDisk.map(({ event_id }) => event_id));
  const sequences = core.received.map(({ sequence }) => sequence);
  t.comment(`acknowledged ${acknowledged.size}, on disk ${kept.size}, at core ${core.received.length}`);
  t.ok(acknowledged.size >= 200 * (rounds - 1));
  t.same(
    [...acknowledged].filter((id) => !kept.has(id)),
    [],
    'acknowledged ⊆ spooled',
  );
  t.equal(new Set(onDisk.map(({ sequence }) => sequence)).size, onDisk.length, 'no number is used twice');
  t.equal(new Set(sequences).size, sequences.length, 'core counts none twice');
  t.same(
    sequences,
    [...sequences].sort((a, b) => a - b),
    'in order',
  );
});

function whyNotTraceable(): { skip?: string } {
  const { status, error } = spawnSync('strace', ['-o', '/dev/null', 'true']);
  if (error !== undefined) return { skip: 'needs strace' };
  return status === 0 ? {} : { skip: 'tracing is not permitted here' };
}

const STRACE = whyNotTraceable();
t.test('strace: fdatasync of the record returns before the response is written', STRACE, async (t) => {
  const directory = await scratch(t);
  const trace = join(await scratch(t), 'trace');
  const strace = [
    'strace',
    '-f',
    '-qq',
    '-y',
    '-s',
    '4000',
    '-e',
    'trace=pwritev,pwrite64,fdatasync,sendto,write,writev',
    '-o',
    trace,
  ];
  const running = await child(directory, 'http://127.0.0.1:9', strace);
  const agent = new Agent();
  const headers = { 'x-service-token': TOKEN };
  for (let index = 0; index < 5; index++) {
    const body = Buffer.from(JSON.stringify({ event_id: `traced-${index}-`, message: 'boom' }));
    const { status } = await send(agent, running.port, '/api/v1/telemetry/ingest', body, headers);
    t.equal(status, 202);
  }
  await end(running, 'SIGKILL');
  const lines = (await readFile(trace, 'utf8')).split('\n');
  for (let index = 0; index < 5; index++) {
    const written = lines.findIndex(
      (line) => /pwrite(?:v|64)\(/.test(line) && line.includes(`traced-${index}-`),
    );
    const answered = lines.findIndex(
      (line) => /(sendto|writev?)\(.*HTTP\/1\.1 202/.test(line) && lines.indexOf(line) > written,
    );
    const synced = syncedAfter(lines, written);
    t.ok(written !== -1 && answered !== -1 && synced !== -1, 'write, sync and response are in the trace');
    t.ok(written < synced && synced < answered, `write ${written} < sync ${synced} < answer ${answered}`);
  }
});

/** The line on which an fdatasync that began after `from` returns; strace splits calls that another thread interrupts. */
function syncedAfter(lines: readonly string[], from: number): number {
  const began = lines.findIndex((line, at) => at > from && /fdatasync\(\d+<[^>]*\.seg>/.test(line));
  if (began === -1 || /= 0$/.test(lines[began] ?? '')) return began;
  const thread = /^\d+/.exec(lines[began] ?? '')?.[0];
  return lines.findIndex(
    (line, at) => at > began && line.startsWith(`${thread} `) && /fdatasync resumed.*= 0$/.test(line),
  );
}

interface Hostile {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

const CRASH = JSON.stringify({
  event_id: 'e',
  message: 'm',
  stack_trace: { frames: [{ file: 'a.js', line: 1 }] },
});
/** JSON that has broken parsers before. */
const NASTY = [
  '',
  '{',
  '[]',
  'null',
  '{"__proto__":{"x":1},"message":"m"}',
  '{"message":"m","constructor":{"prototype":{}}}',
  `${'['.repeat(50_000)}`,
  `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  `{"message":"m","extra":[${'0,'.repeat(200_000)}0]}`,
  '{"message":"\\ud800\\u0000"}',
  '{"message":1e999,"timestamp":-1e308}',
  `{"message":"${'a'.repeat(900_000)}"}`,
  `{"message":"m","stack":"${'at x (y:1:1)\\n'.repeat(20_000)}"}`,
  '{"exception":{"values":[null,{"stacktrace":{"frames":[null,{"lineno":"x"}]}}]}}',
  '{}\n{"type":"event","length":9999999}\n{}',
  '{}\n{"type":"event","length":-1}\n{}',
  `{}\n${'{"type":"x"}\n\n'.repeat(3_000)}`,
  '\r\n\r\n',
];

const scrambled = (seeds: readonly Buffer[]): fc.Arbitrary<Uint8Array> => {
  const seed = fc.constantFrom(...seeds);
  const mutated = fc
    .tuple(seed, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }), fc.nat(), fc.nat(9))
    .map(([original, changes, cut, kind]) => {
      const bytes = Buffer.from(original);
      for (const [at, value] of changes) bytes[at % Math.max(1, bytes.length)] = value;
      if (kind === 0) return bytes.subarray(0, cut % Math.max(1, bytes.length));
      if (kind === 1) return Buffer.concat([bytes, bytes]);
      return bytes;
    });
  const json = fc.json({ maxDepth: 6 }).map((text) => Buffer.from(text));
  const object = fc
    .record(
      { message: fc.jsonValue(), event_id: fc.jsonValue(), exception: fc.jsonValue(), stack: fc.string() },
      { requiredKeys: [] },
    )
    .map((value) => Buffer.from(JSON.stringify(value)));
  const plain = fc.oneof(mutated, mutated, json, object, fc.uint8Array({ maxLength: 300 }), seed);
  return plain;
};

const hostile = (seeds: readonly Buffer[]): fc.Arbitrary<Hostile> =>
  fc
    .record({
      body: scrambled(seeds),
      door: fc.nat(4),
      credential: fc.nat(9),
      encoding: fc.nat(19),
      odd: fc.string({ maxLength: 20 }),
    })
    .map(({ body, door, credential, encoding, odd }) => {
      const headers: Record<string, string> = { 'x-odd': Buffer.from(odd).toString('hex') };
      let bytes = body;
      if (encoding === 0) bytes = gzipSync(body);
      if (encoding === 1) bytes = deflateSync(body);
      if (encoding <= 2) headers['content-encoding'] = encoding === 1 ? 'deflate' : 'gzip';
      if (encoding === 3) headers['content-encoding'] = `x${headers['x-odd']}`;
      const wrong = credential === 0;
      if (door === 0) headers['tracker-hook-signature'] = wrong ? `${odd.length}` : sign(bytes);
      if (door === 1) headers['x-service-token'] = wrong ? 'no' : TOKEN;
      if (door >= 2) headers['x-sentry-auth'] = `Sentry sentry_key=${wrong ? 'b' : KEY}`;
      const paths = [
        '/webhook/errortracker',
        '/api/v1/telemetry/ingest',
        '/api/1/envelope/',
        '/api/1/store/',
      ];
      return { path: paths[door] ?? `/api/${odd.length}/envelope`, headers, body: bytes };
    });

t.test('decompression bombs are decompressed a few at a time', async (t) => {
  const running = await child(await scratch(t), 'http://127.0.0.1:9');
  const memory = async () =>
    /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${running.pid}/status`, 'latin1'))?.[1];
  const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024 - 1, 'a'));
  const agent = new Agent();
  const sent = await Promise.all(
    Array.from({ length: 64 }, () =>
      send(agent, running.port, '/api/1/envelope/', bomb, { 'content-encoding': 'gzip' }),
    ),
  );
  t.ok(sent.every(({ status }) => status === 401));
  if (process.platform === 'linux') t.ok(Number(await memory()) < 640 * 1024, 'not 64 times 20 MB');
  await end(running, 'SIGKILL');
});

t.test('SDK door: a large attachment is dropped while it arrives, and its event stays', async (t) => {
  const directory = await scratch(t);
  const server = await edge(t, { spoolDirectory: directory });
  const event = Buffer.from(envelope({ message: 'boom' }));
  const file = (bytes: number, content: Buffer) =>
    Buffer.concat([
      event,
      Buffer.from(`{"type":"attachment","length":${bytes},"filename":"core"}\n`),
      content,
    ]);
  const noise = randomBytes(6 * MIB);
  const random = file(noise.length, noise);
  const calm = file(24 * MIB, Buffer.alloc(24 * MIB));
  const bodies: [string, number, Uint8Array][] = [
    ['', noise.length, random],
    ['gzip', noise.length, gzipSync(random, { level: 1 })],
    ['gzip', 24 * MIB, gzipSync(calm, { level: 1 })],
  ];
  for (const [encoding, , body] of bodies) {
    const answer = await toSdk(
      server,
      body,
      undefined,
      encoding === '' ? {} : { 'content-encoding': encoding },
    );
    t.same([answer.status, await answer.json()], [200, { id: EVENT }], `${encoding}: ${body.length} bytes`);
  }
  const kept = await spooled(directory);
  t.strictSame(
    kept.map(({ attachments, raw_sha256, crash }) => [attachments, raw_sha256, crash.message]),
    bodies.map(([, bytes, body]) => [[{ name: 'core', bytes }], sha256Hex(body), 'boom']),
  );
  const { limits, dropped } = server.guard();
  t.match(dropped, { oversized: 3 });
  const largest = (wanted: string, of: string | null = 'sdk') =>
    limits.find(({ name, door }) => name === wanted && door === of)?.largest ?? 0;
  t.ok(largest('body_sent') > 6 * MIB && largest('body_decoded') > 24 * MIB);
  t.ok(largest('public_key_bytes', null) < MIB, `${largest('public_key_bytes', null)} bytes in memory`);
  const cut = random.subarray(0, -1);
  t.match(await (await toSdk(server, cut)).json(), { causes: ['unexpected end of file'] });
  const forged = await toSdk(server, random, `sentry_key=${'b'.repeat(32)}`);
  t.equal(forged.status, 401, 'an unknown key');
  const other = Buffer.concat([Buffer.from(`{"dsn":"http://${'b'.repeat(32)}@a/1"}\n`), random]);
  t.equal((await toSdk(server, other, '')).status, 401, 'an unknown key inside');
  const event2 = Buffer.from(`{}\n{"type":"event","length":${noise.length}}\n`);
  t.equal((await toSdk(server, Buffer.concat([event2, noise]))).status, 413, 'an event has its own limit');
  const raw = await post(
    `${server.url}/api/1/store/?sentry_key=${KEY}`,
    JSON.stringify({ message: 'x'.repeat(2e6) }),
  );
  t.equal(raw.status, 413, 'so does the event of /store/');
  t.equal((await spooled(directory)).length, 3);
});

t.test('property: random and hostile bodies against every door', { timeout: 600_000 }, async (t) => {
  const names = (await readdir(FIXTURES)).filter((name) => name !== 'INDEX.tsv');
  const files = await Promise.all(names.map((name) => readFile(join(FIXTURES, name))));
  const events = files.filter((_, index) => names[index]?.startsWith('ev-'));
  const wrapped = events.map((event) =>
    Buffer.from(envelope(JSON.parse(event.toString()), { event_id: EVENT })),
  );
  const seeds = [...files, ...wrapped, Buffer.from(CRASH), ...NASTY.map((text) => Buffer.from(text))];
  const core = await fakeCore(t);
  const server = await edge(t, {
    coreUrl: core.url,
    limits: NO_RATE_LIMITS,
    spool: { keepMs: 0 },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const bodies = fc.sample(hostile(seeds), { numRuns: Number(process.env.HOSTILE_BODIES ?? 1_500), seed });
  const statuses = new Map<string, number>();
  const wrong: unknown[] = [];
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < bodies.length; index = next++) {
      const { path, headers, body } = bodies[index] as Hostile;
      const answer = await send(agent, server.port, path, body, headers);
      statuses.set(String(answer.status), (statuses.get(String(answer.status)) ?? 0) + 1);
      if (!isRightAnswer(path, answer))
        wrong.push({ index, path, status: answer.status, body: answer.body.slice(0, 200) });
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  agent.destroy();
  t.comment(`statuses ${JSON.stringify(Object.fromEntries([...statuses].sort()))}`);
  t.same(wrong.slice(0, 3), [], 'every response is in the contract, none is 500');
  const guard = server.guard();
  t.comment(`outcomes ${JSON.stringify(guard.outcomes)}`);
  const counted = HTTP_DOORS.flatMap((door) => Object.values(guard.outcomes[door])).reduce(
    (sum, count) => sum + count,
    0,
  );
  t.equal(counted, bodies.length, 'exactly one outcome for each');
  const successes = (statuses.get('200') ?? 0) + (statuses.get('202') ?? 0);
  const kept = HTTP_DOORS.reduce((sum, door) => {
    const { accepted = 0, ignored = 0, duplicate = 0 } = guard.outcomes[door];
    return sum + accepted + ignored + duplicate;
  }, 0);
  t.equal(kept, successes);
  await until(() => server.guard().spool.depth === 0);
  t.equal(core.received.length, guard.crashes, 'everything accepted arrives');
});

const ALLOWED = new Set([200, 202, 400, 401, 403, 413, 415]);

function isRightAnswer(path: string, { status, body, headers }: Sent): boolean {
  if (status === null || !ALLOWED.has(status) || headers['retry-after'] !== undefined) return false;
  const parsed: Record<string, unknown> = JSON.parse(body);
  if (path.startsWith('/api/') && !path.startsWith('/api/v1')) {
    if (headers['access-control-allow-origin'] !== '*' || status === 202) return false;
    return status === 200
      ? parsed.id === undefined || /^[0-9a-f]{32}$/.test(String(parsed.id))
      : 'detail' in parsed;
  }
  return status === 202
    ? parsed.status === 'accepted' && typeof parsed.id === 'string'
    : parsed.status === status;
}

t.test(
  'what is too deep or too wide is cut and counted; an event that is too large is refused',
  async (t) => {
    const spoolDirectory = await scratch(t);
    const server = await edge(t, {
      spoolDirectory,
      limits: { jsonDepth: 4, jsonWidth: 8, eventItemBytes: 400 },
    });
    const seen = (wanted: string) => {
      const found = server.guard().limits.find(({ name }) => name === wanted);
      return [found?.value, found?.allowed, found?.refused, found?.largest];
    };
    const deep = (levels: number) =>
      `{"message":"x","extra":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;
    const wide = (items: number) =>
      JSON.stringify({ message: 'x', extra: { list: [...Array(items).keys()] } });
    const statuses = async (body: string) => [
      (await toNative(server, body)).status,
      (await toWebhook(server, body)).status,
      (await toSdk(server, envelope(JSON.parse(body)))).status,
    ];
    for (const body of [deep(3), deep(4), wide(8), wide(9)]) t.same(await statuses(body), [202, 202, 200]);
    const cuts = (await spooled(spoolDirectory)).map(({ crash, trimmed }) => [crash.extra, trimmed]);
    const below = ['extra.a.a.a was removed: it is nested deeper than 4 levels'];
    t.strictSame(cuts[0], [{ a: { a: { a: 1 } } }, undefined]);
    for (const at of [3, 4, 5]) t.strictSame(cuts[at], [{ a: { a: { a: '[cut: object]' } } }, below]);
    const last = [{ list: [1, 2, 3, 4, 5, 6, 7, 8] }, ['extra.list was cut to the last 8 of 9 items']];
    for (const at of [9, 10, 11]) t.strictSame(cuts[at], last);
    t.equal((await toSdk(server, envelope({ message: 'y'.repeat(400) }))).status, 413);
    t.equal(
      (await toNative(server, { message: 'y'.repeat(400) })).status,
      202,
      'events have their own limit',
    );
    t.same(seen('json_depth'), [4, 13, 3, 4]);
    t.same(seen('json_width'), [8, 13, 3, 8]);
    t.same(seen('event_item').slice(0, 3), [400, 4, 1]);
  },
);

t.test(
  'text that is far too deep or too wide is cut before it is parsed, and no crash is lost',
  async (t) => {
    const spoolDirectory = await scratch(t);
    const server = await edge(t, { spoolDirectory, limits: { eventItemBytes: 4 * 1024 * 1024 } });
    const numbers = [...Array(30_000).keys()];
    const named = Object.fromEntries(numbers.map((index) => [`k${index}`, { at: [index] }]));
    const frames = numbers.map((line) => ({ file: 'a.js', line, in_app: true }));
    const bodies = [
      `{"message":"deep","extra":{"a":${'['.repeat(40_000)}"]}"${']'.repeat(40_000)},"b":1}}`,
      JSON.stringify({ message: 'wide', extra: { named, b: '\\"],[' } }),
      JSON.stringify({ message: 'long', stack_trace: { frames } }),
    ];
    const start = `{"event_id":"${EVENT}"}\n{"type":"event"}\n`;
    for (const body of bodies) t.equal((await toSdk(server, start + body)).status, 200);
    const [deep, wide, long] = await spooled(spoolDirectory);
    t.match(deep, { crash: { extra: { b: 1 } }, trimmed: [/^extra\.a.* deeper than 64 levels$/] });
    t.match(wide, {
      crash: { extra: { b: '\\"],[' } },
      trimmed: ['extra.named was cut to the first 10000 of 20000 members'],
    });
    t.same(long?.crash.stack_trace, { frames: frames.slice(-10_000) });
    t.equal(
      (await toNative(server, `{"message":"x","extra":${'['.repeat(50_000)}`)).status,
      400,
      'never closed',
    );
  },
);
