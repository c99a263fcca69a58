import type { CrashException, Event, Frame } from '../../domain/event.js';
import type { Fingerprint } from '../../domain/fingerprint.js';
import { cutText } from './trim.js';

/** Bytes of one stored event as JSON, unless the policy says otherwise. */
export const EVENT_BYTES = 256 * 1024;
/** Every event can be cut to this. */
export const MIN_EVENT_BYTES = 64 * 1024;
/** Characters of the parts of a fingerprint that are stored for display. They are in every list of runs. */
const PARTS_CHARS = 8_192;
/** Characters of a text when nothing else is left to cut. */
const SHORT_TEXT = 1_024;

/** What to remove, in this order, until the event fits: first what says least about where it crashed. */
const CUTS: readonly (readonly [what: string, cut: (event: Event) => Event])[] = [
  [
    'breadcrumbs: only the last 20 are stored',
    (event) => ({ ...event, breadcrumbs: event.breadcrumbs.slice(-20) }),
  ],
  ['extra is not stored', (event) => ({ ...event, extra: {} })],
  [
    'variables: only those of the newest 10 frames are stored',
    (event) => eachFrame(event, 10, { vars: null }),
  ],
  ['source lines: only those of the newest 10 frames are stored', (event) => eachFrame(event, 10, NO_LINES)],
  ['breadcrumbs are not stored', (event) => ({ ...event, breadcrumbs: [] })],
  ['contexts are not stored', (event) => ({ ...event, contexts: {} })],
  ['request is not stored', (event) => ({ ...event, request: null })],
  ['modules are not stored', (event) => ({ ...event, modules: {} })],
  ['attachments are not stored', (event) => ({ ...event, attachments: [] })],
  ['variables and source lines are not stored', (event) => eachFrame(event, 0, { vars: null, ...NO_LINES })],
  ...[50, 20, 5, 1].map(
    (most) => [`stack: the newest ${most} frames and exceptions are stored`, newest(most)] as const,
  ),
  [
    'tags, user and fingerprint are not stored',
    (event) => ({ ...event, tags: {}, user: null, fingerprint: null }),
  ],
  ['texts were cut to 1,024 characters', shortTexts],
];

const NO_LINES = { context_line: null, pre_context: [], post_context: [] } as const;

/** The event with at most `most` bytes as JSON, and what was cut in `trimmed`. Pure; call it after fingerprinting. */
export function boundEvent(event: Event, most: number): Event {
  // A character has at most six bytes: an escaped control character.
  if (!isLonger(event, most / 6)) return event;
  const bytesOf = byMember();
  let bounded = event;
  let bytes = bytesOf(event);
  for (const [what, cut] of CUTS) {
    if (bytes <= most) break;
    const next = cut(bounded);
    const left = bytesOf(next);
    if (left < bytes) bounded = { ...next, trimmed: [...next.trimmed, what] };
    bytes = left;
  }
  return bounded;
}

/** Bytes of an event as JSON. Members that are the same as in the event before are not counted again. */
function byMember(): (event: Event) => number {
  const known = new Map<string, { readonly value: unknown; readonly bytes: number }>();
  return (event) => {
    let sum = 1;
    for (const [name, value] of Object.entries(event)) {
      const same = known.get(name);
      const bytes =
        same !== undefined && same.value === value
          ? same.bytes
          : Buffer.byteLength(JSON.stringify(value) ?? '');
      known.set(name, { value, bytes });
      // With its name, two quotes, a colon and a comma.
      sum += name.length + 4 + bytes;
    }
    return sum;
  };
}

/** The fingerprint with at most 8,192 characters of parts. The hash stays that of all parts. */
export function boundFingerprint(fingerprint: Fingerprint): Fingerprint {
  const parts: string[] = [];
  let left = PARTS_CHARS;
  for (const part of fingerprint.parts) {
    if (left < part.length)
      return { ...fingerprint, parts: [...parts, more(fingerprint.parts.length - parts.length)] };
    parts.push(part);
    left -= part.length + 4;
  }
  return fingerprint;
}

const more = (count: number) => `and ${count} more parts`;

/** Whether the texts of a value have more than `most` characters; stops as soon as it is certain. */
function isLonger(value: unknown, most: number): boolean {
  let left = most;
  const take = (item: unknown): boolean => {
    left -= typeof item === 'string' ? item.length + 3 : 6;
    if (left < 0) return true;
    if (typeof item !== 'object' || item === null) return false;
    if (Array.isArray(item)) return item.some(take);
    for (const name in item) {
      left -= name.length + 3;
      if (take((item as Record<string, unknown>)[name])) return true;
    }
    return false;
  };
  return take(value);
}

/** Changes all frames but the newest `kept` of each exception; the same event if they have nothing of it. */
function eachFrame(event: Event, kept: number, change: Partial<Frame>): Event {
  const isChanged = (frame: Frame) =>
    Object.keys(change).some((name) => {
      const value = frame[name as keyof Frame];
      return value !== null && !(Array.isArray(value) && value.length === 0);
    });
  const isOlder = ({ frames }: CrashException, at: number) => frames.length - at > kept;
  const isDue = event.exceptions.some((item) =>
    item.frames.some((frame, at) => isOlder(item, at) && isChanged(frame)),
  );
  if (!isDue) return event;
  return withExceptions(event, (item) => ({
    ...item,
    frames: item.frames.map((frame, at) => (isOlder(item, at) ? { ...frame, ...change } : frame)),
  }));
}

function newest(most: number): (event: Event) => Event {
  return (event) =>
    withExceptions({ ...event, exceptions: event.exceptions.slice(-most) }, (item) => ({
      ...item,
      frames: item.frames.slice(-most),
    }));
}

function shortTexts(event: Event): Event {
  const short = (text: string | null) => (text === null ? null : cutText(text, SHORT_TEXT));
  const { message, message_template } = event;
  return withExceptions(
    { ...event, message: short(message), message_template: short(message_template) },
    (item) => ({ ...item, value: short(item.value), mechanism: null }),
  );
}

function withExceptions(event: Event, change: (item: CrashException) => CrashException): Event {
  return { ...event, exceptions: event.exceptions.map(change) };
}
