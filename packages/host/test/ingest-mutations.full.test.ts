import { readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { JsonValue } from '@culprit/core';
import fc from 'fast-check';
import t from 'tap';
import { NO_RATE_LIMITS } from '../src/edge/limits.js';
import { checkDescribed } from './support/described-answers.js';
import { jsonOf } from './support/described-fetch.js';
import { envelope, KEY, TOKEN, toNative, toSdk } from './support/edge-kit.js';
import {
  type IngestBench,
  ingestBench,
  ingestFixture,
  ingestFolder,
  runsOf,
} from './support/ingest-bench.js';

const fixtures = readdirSync(ingestFolder).filter((name) => /\.(?:bin|json)$/.test(name));

function outcomesOf({ edge }: IngestBench): number {
  return Object.values(edge.guard().outcomes).reduce(
    (sum, door) => sum + Object.values(door).reduce((count, outcome) => count + outcome, 0),
    0,
  );
}

/** Valid statuses of a door for arbitrary bytes. */
const FINE = new Set([200, 202, 400, 401, 403, 413, 415]);

t.test(
  'fixtures and mutations of them: correct status, one outcome each, no 500',
  { timeout: 3_600_000 },
  async (t) => {
    const count = Number(process.env.MUTATIONS ?? 20_000);
    const bench = await ingestBench(t, { limits: NO_RATE_LIMITS });
    const sources = fixtures.map((name) => ({ name, bytes: forUs(ingestFixture(name)) }));
    const random = lcg(20_261_121);
    const seen = new Map<number, number>();
    let sent = 0;
    const send = async (bytes: Uint8Array, door: number) => {
      sent++;
      const body = door === 3 ? gzipSync(bytes) : bytes;
      const headers = door === 3 ? { 'content-encoding': 'gzip' } : {};
      const sdk = `?sentry_key=${KEY}`;
      const status =
        door === 0
          ? await quick(bench, '/api/v1/telemetry/ingest', body, { 'x-service-token': TOKEN })
          : await quick(bench, door === 1 ? `/api/1/store/${sdk}` : `/api/1/envelope/${sdk}`, body, headers);
      seen.set(status, (seen.get(status) ?? 0) + 1);
      return status;
    };
    for (const { name, bytes } of sources) {
      const broken = /profile-chunk|java-event-attachment/.test(name);
      if (name.endsWith('.bin')) t.equal(await send(bytes, 2), broken ? 400 : 200, name);
      else if (name.startsWith('ev-')) t.equal(await send(bytes, 1), 200, name);
    }
    const workers = Array.from({ length: 24 }, async () => {
      while (sent < count) {
        const { name = '', bytes = new Uint8Array() } = sources[random(sources.length)] ?? {};
        const own = name.startsWith('env-') ? 2 + random(2) : random(2);
        await send(mutated(bytes, random), random(4) === 0 ? random(4) : own);
      }
    });
    await Promise.all(workers);
    agent.destroy();
    t.comment(`${sent} requests: ${[...seen].map(([status, times]) => `${status}: ${times}`).join(', ')}`);
    t.same(
      [...seen.keys()].filter((status) => !FINE.has(status)),
      [],
      'no other status',
    );
    t.equal(outcomesOf(bench), sent, 'one outcome each');
    const { outcomes, crashes } = bench.edge.guard();
    t.equal((outcomes.sdk.accepted ?? 0) + (outcomes.native.accepted ?? 0) <= crashes, true);
    await bench.settled();
    t.equal(bench.edge.guard().dead_letters, 0, 'core could read everything that a door accepted');
    t.equal((await fetch(`${bench.edge.url}/healthz`)).status, 200, 'the process is alive');
    t.same(
      bench.log.filter((line) =>
        /the edge failed to handle|parser failed|could not be normalised/.test(line),
      ),
      [],
    );
  },
);

const agent = new Agent({ keepAlive: true, maxSockets: 32 });
/** One answer in this many is compared with `/openapi.json`. */
const COMPARED = 20;
let asked = 0;

/** A minimal POST, because `fetch` would cost more than the server. */
function quick(
  { edge }: IngestBench,
  path: string,
  body: Uint8Array,
  headers: Record<string, string>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const out = request(
      { agent, port: edge.port, host: '127.0.0.1', method: 'POST', path, headers },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const { statusCode: status = 0, headers } = answer;
          const text = Buffer.concat(chunks).toString();
          const flat = Object.entries(headers).map(([name, value]) => [name, String(value)]);
          const full = { status, headers: Object.fromEntries(flat), text, json: jsonOf(text) };
          try {
            // Comparing takes longer than the answer.
            if (asked++ % COMPARED === 0)
              checkDescribed({ method: 'POST', path: path.replace(/\?.*/, ''), answer: full });
            resolve(status);
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    out.on('error', reject).end(body);
  });
}

/** Replaces the DSN in an envelope with this edge's. */
function forUs(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  return Buffer.from(text.replace(/"dsn":"[^"]*"/, `"dsn":"http://${KEY}@127.0.0.1/1"`), 'latin1');
}

function lcg(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

const SPICE = [
  'null',
  '[]',
  '{}',
  '""',
  '-1',
  '1e999',
  '"\\ud800"',
  '\u0000',
  '\n',
  '"length":9',
  '{"type":"event"}',
  '\u202e',
];

const ANYTHING: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  1e300,
  '',
  '\u0000',
  '\u202e',
  [],
  {},
  [[]],
  [null, {}],
  { values: [] },
];

/** Every second mutation keeps framing and JSON intact, so that it passes the first checks. */
function mutated(source: Uint8Array, random: (below: number) => number): Uint8Array {
  return random(2) === 0
    ? (withOtherValues(source, random) ?? damaged(source, random))
    : damaged(source, random);
}

/** One line of JSON with members removed, replaced or swapped. */
function withOtherValues(source: Uint8Array, random: (below: number) => number): Uint8Array | null {
  const lines = Buffer.from(source).toString().split('\n');
  const line = lines.length === 1 ? 0 : 2;
  let value: JsonValue;
  try {
    value = JSON.parse(lines[line] ?? '');
  } catch {
    return null;
  }
  for (let left = 1 + random(4); left > 0; left--) change(value, random);
  if (line === 2) lines[1] = (lines[1] ?? '').replace(/,?"length":\d+/, '');
  lines[line] = JSON.stringify(value);
  return Buffer.from(lines.join('\n'));
}

function change(root: JsonValue, random: (below: number) => number): void {
  let at = root as Record<string, JsonValue>;
  for (;;) {
    const names = Object.keys(at);
    const name = names[random(names.length)];
    if (name === undefined) return;
    const next = at[name];
    if (typeof next === 'object' && next !== null && random(4) > 0) {
      at = next as Record<string, JsonValue>;
      continue;
    }
    const kind = random(4);
    if (kind === 0 && !Array.isArray(at)) delete at[name];
    else if (kind === 1) at[name] = at[names[random(names.length)] ?? name] ?? null;
    else at[name] = structuredClone(ANYTHING[random(ANYTHING.length)] ?? null);
    return;
  }
}

/** Bytes flipped, removed, doubled or swapped, and JSON values replaced. */
function damaged(source: Uint8Array, random: (below: number) => number): Uint8Array {
  let text: Buffer = Buffer.from(source);
  for (let left = 1 + random(3); left > 0; left--) {
    const at = random(text.length + 1);
    // Mostly replaced values, so that the JSON stays valid.
    const kind = Math.min(random(16), 4 + (random(12) === 0 ? 1 : 0));
    if (kind === 0 && text.length > 0) text[at % text.length] = random(256);
    else if (kind === 1) text = text.subarray(0, at);
    else if (kind === 2)
      text = Buffer.concat([text.subarray(0, at), text.subarray(random(at + 1))]).subarray(0, 200_000);
    else if (kind === 3)
      text = Buffer.concat([
        text.subarray(0, at),
        Buffer.from(SPICE[random(SPICE.length)] ?? ''),
        text.subarray(at),
      ]);
    else if (kind === 4) {
      const comma = text.indexOf(':', at);
      const end =
        comma < 0 ? -1 : text.subarray(comma).findIndex((byte) => byte === 44 || byte === 125 || byte === 93);
      if (end > 0)
        text = Buffer.concat([
          text.subarray(0, comma + 1),
          Buffer.from(SPICE[random(SPICE.length)] ?? ''),
          text.subarray(comma + end),
        ]);
    } else text = Buffer.concat([text.subarray(at), text.subarray(0, at)]);
  }
  return text;
}

const FIELDS = [
  ...[
    'event_id',
    'message',
    'logentry',
    'exception',
    'threads',
    'stack',
    'stack_trace',
    'stacktrace',
    'timestamp',
    'level',
  ],
  ...[
    'platform',
    'release',
    'dist',
    'environment',
    'server_name',
    'transaction',
    'culprit',
    'logger',
    'tags',
    'user',
    'request',
  ],
  ...[
    'contexts',
    'extra',
    'breadcrumbs',
    'modules',
    'fingerprint',
    'sdk',
    'debug_meta',
    '__proto__',
    'constructor',
    'toString',
  ],
];
const INNER = [
  'values',
  'frames',
  'stacktrace',
  'type',
  'value',
  'module',
  'filename',
  'function',
  'lineno',
  'in_app',
  'vars',
  'mechanism',
  'length',
  'headers',
];

t.test('property: any value in any field, from bytes to a staged run', { timeout: 600_000 }, async (t) => {
  const bench = await ingestBench(t, { limits: NO_RATE_LIMITS });
  const anything = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom<JsonValue>(
        null,
        true,
        false,
        '',
        0,
        -1,
        1e308,
        5e-324,
        2 ** 53,
        'NaN',
        '{{ default }}',
        '__proto__',
        '\ud800',
      ),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.array(tie('value'), { maxLength: 5 }),
      fc.dictionary(fc.oneof(fc.constantFrom(...INNER), fc.string({ maxLength: 8 })), tie('value'), {
        maxKeys: 5,
      }),
    ),
  })).value;
  const crash = fc.dictionary(fc.constantFrom(...FIELDS), anything, { minKeys: 1, maxKeys: 8 });
  let accepted = 0;
  const fits = async (body: Record<string, JsonValue>, strict: boolean) => {
    const { event_id: _, ...rest } = body;
    const answer = strict ? await toNative(bench.edge, body) : await toSdk(bench.edge, envelope(rest, {}));
    const text = await answer.text();
    if (answer.status === 200 || answer.status === 202) accepted++;
    // The SDK door accepts every object; the native door names the invalid field.
    if (!strict) return answer.status === 200;
    return answer.status === 202 || (answer.status === 400 && text.includes('"malformed"'));
  };
  // In parallel, because each response waits for the disk.
  const some = fc.array(fc.tuple(crash, fc.boolean()), { minLength: 1, maxLength: 40, size: 'max' });
  await fc.assert(
    fc.asyncProperty(some, async (crashes) => {
      const all = await Promise.all(crashes.map(([body, strict]) => fits(body, strict)));
      return all.every((fit) => fit);
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 100) },
  );
  await bench.settled();
  const runs = await runsOf(bench);
  const counted = runs.reduce((sum, { occurrences }) => sum + occurrences, 0);
  t.comment(`${accepted} accepted, ${runs.length} runs`);
  t.equal(bench.edge.guard().dead_letters, 0);
  t.ok(runs.every(({ state }) => state === 'staged_raw'));
  t.ok(counted <= accepted && counted >= accepted * 0.9, `${counted} counted; the others had a known id`);
  t.equal(Object.keys(Object.prototype).length, 0);
});
