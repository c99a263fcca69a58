import { type BoundedMap, boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import type { Sanitise } from './door.js';

/** The request headers that are stored with a delivery: no credentials, nothing that names a person. */
const KEPT = [
  'content-type',
  'content-encoding',
  'user-agent',
  'request-id',
  'x-request-id',
  'traceparent',
  'sentry-hook-resource',
  'sentry-hook-timestamp',
  'webhook-id',
  'webhook-timestamp',
];
const LONGEST = 256;

/** Senders repeat a few values. Bounded in number and, by {@link LONGEST}, in length. */
const REMEMBERED = 256;
const known = new WeakMap<Sanitise, BoundedMap<string, Readonly<Record<string, string>>>>();

/** The stored headers, sanitised. Equal headers return the same object. */
export function keptHeaders(
  headers: Readonly<Record<string, string>>,
  sanitise: Sanitise,
): Readonly<Record<string, string>> {
  let key = '';
  for (const name of KEPT) key += `${headers[name]?.slice(0, LONGEST) ?? ''}\n`;
  const own = knownOf(sanitise);
  const earlier = own.get(key);
  if (earlier !== undefined) return earlier;
  const kept: Record<string, string> = {};
  for (const name of KEPT) {
    const text = headers[name]?.slice(0, LONGEST) ?? '';
    if (text === '') continue;
    const { value } = sanitise(text);
    if (typeof value === 'string') kept[name] = value;
  }
  own.set(key, kept);
  return kept;
}

function knownOf(sanitise: Sanitise): BoundedMap<string, Readonly<Record<string, string>>> {
  const earlier = known.get(sanitise);
  if (earlier !== undefined) return earlier;
  const own = boundedMap<string, Readonly<Record<string, string>>>(REMEMBERED);
  known.set(sanitise, own);
  return own;
}
