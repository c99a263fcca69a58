import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clean46 } from '../lib/ingest-events.mjs';

export const SECRET = 'hook-secret-of-the-bench';
export const TOKEN = 'service-token-of-the-bench';
export const KEY = 'b'.repeat(32);
const DISTINCT = 4_096;
const fixtures = new URL('../../packages/core/test/fixtures/ingest/', import.meta.url);

/** Distinct crashes of about 4.6 KB as complete, signed requests: one file per door, read by wrk. `from`: number of the first. */
export function writeRequests(directory, from = 0) {
  const { crash } = clean46(fixtures);
  const crashes = Array.from({ length: DISTINCT }, (_, index) => {
    const number = from + index;
    const event_id = number.toString(16).padStart(32, '0');
    return { event_id, text: JSON.stringify({ ...crash, event_id, message: `crash number ${number}` }) };
  });
  const makeUnlike = createUnlike();
  const signed = (text) => ({
    'tracker-hook-signature': createHmac('sha256', SECRET).update(text).digest('hex'),
  });
  const doors = {
    webhook: ({ text }) => ['/webhook/errortracker', text, signed(text)],
    unlike: ({ text }) => {
      const other = makeUnlike(text);
      return ['/webhook/errortracker', other, signed(other)];
    },
    native: ({ text }) => ['/api/v1/telemetry/ingest', text, { 'x-service-token': TOKEN }],
    sdk: ({ event_id, text }) => [
      '/api/1/envelope/',
      `{"event_id":"${event_id}"}\n{"type":"event","length":${Buffer.byteLength(text)}}\n${text}\n`,
      { 'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${KEY}` },
    ],
  };
  const files = {};
  for (const [door, parts] of Object.entries(doors)) {
    files[door] = join(directory, `${door}.requests`);
    writeFileSync(files[door], crashes.map((one) => whole(...parts(one))).join('\0'));
  }
  return { files, bytes: Buffer.byteLength(crashes[0].text), distinct: DISTINCT };
}

/** Texts that must not change, or the crash would be rejected or of another kind. */
const FIXED = new Set(['event_id', 'timestamp', 'level', 'platform', 'trace_id', 'span_id', 'release']);

/** Changes three characters of each free text, so that texts hardly ever repeat, as from many different programs. */
function createUnlike() {
  let count = 0;
  const mark = () => (46_656 + (count++ % 46_656)).toString(36).slice(-3);
  const other = (name, value) =>
    typeof value !== 'string' || FIXED.has(name) || value.length < 6
      ? value
      : `${value.slice(0, 3)}${mark()}${value.slice(6)}`;
  return (text) => JSON.stringify(JSON.parse(text), other);
}

function whole(path, body, headers) {
  const lines = Object.entries({
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
