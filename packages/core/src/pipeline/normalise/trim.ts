import type { JsonObject, JsonValue } from '../../domain/json.js';
import type { Json } from './read.js';

/** Characters, as in Relay's event schema. */
export const TEXT_LIMITS = {
  message: 8192,
  type: 256,
  module: 256,
  function: 512,
  file: 1024,
  contextLine: 2000,
  short: 200,
  name: 64,
  serverName: 256,
} as const;

/** A budget for arbitrary JSON: characters of all keys and scalars together, and levels of nesting. */
export interface Budget {
  readonly chars: number;
  readonly depth: number;
  /** Per top-level member; absent: unlimited. */
  readonly memberChars?: number;
}
export const BUDGETS = {
  extra: { chars: 262_144, memberChars: 16_384, depth: 7 },
  contexts: { chars: 65_536, memberChars: 8192, depth: 7 },
  breadcrumb: { chars: 4096, depth: 5 },
  vars: { chars: 2048, depth: 5 },
  mechanism: { chars: 2048, depth: 5 },
  request: { chars: 32_768, memberChars: 8192, depth: 7 },
  user: { chars: 8192, depth: 5 },
} as const satisfies Record<string, Budget>;

/** Maximum notes of an event about what was cut. */
const NOTES = 50;

/** Cuts values to their limits and notes what was cut, as text for people. */
export interface Trimmer {
  readonly notes: readonly string[];
  note(what: string): void;
  /** At most `limit` characters; a cut never splits a character and ends with `...`. `member` of `path`, if given. */
  text(value: string | null, limit: number, path: string, member?: string): string | null;
  object(value: Json, budget: Budget, path: string): JsonObject | null;
}

export function trimmer(): Trimmer {
  const notes: string[] = [];
  const note = (what: string) => {
    if (notes.length < NOTES) notes.push(what);
    else if (notes.length === NOTES) notes.push('and more');
  };
  return {
    notes,
    note,
    text(value, limit, path, member) {
      if (value === null) return null;
      if (value.length > limit) {
        note(`${path}${member === undefined ? '' : `.${member}`} was cut to ${limit} characters`);
      }
      return cutText(value, limit);
    },
    object(value, budget, path) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
      const purse: Purse = { left: budget.chars, cut: false };
      const bounded = boundMembers(value as JsonObject, budget, purse);
      if (purse.cut) note(`${path} was cut to its limits`);
      return bounded;
    },
  };
}

/** Without the `u` flag, which is faster: most texts have no surrogates. */
const SURROGATE = /[\ud800-\udfff]/;

/** Replaces unpaired surrogates by U+FFFD, so that the text survives UTF-8. */
export function cutText(value: string, limit: number): string {
  const cut = value.length > limit ? `${value.slice(0, limit - 3)}...` : value;
  return SURROGATE.test(cut) ? cut.replace(/[\ud800-\udfff]/gu, '\ufffd') : cut;
}

interface Purse {
  left: number;
  cut: boolean;
}

function boundMembers(object: JsonObject, budget: Budget, purse: Purse): JsonObject {
  const bounded: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(object)) {
    if (purse.left <= 0) {
      purse.cut = true;
      break;
    }
    if (value === undefined || key === '__proto__') continue;
    purse.left -= key.length + 4;
    const own: Purse = { left: Math.min(purse.left, budget.memberChars ?? purse.left), cut: false };
    const before = own.left;
    bounded.push([cutText(key, TEXT_LIMITS.short), bound(value, budget.depth - 1, own)]);
    purse.left -= before - own.left;
    purse.cut ||= own.cut;
  }
  return Object.fromEntries(bounded);
}

/** Recurses at most to `depth`; every visited value uses up the budget, so the work is bounded too. */
function bound(value: JsonValue, depth: number, purse: Purse): JsonValue {
  purse.left -= 4;
  if (typeof value === 'string') return boundText(value, purse);
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? finite(value) : value;
  if (depth <= 0) {
    purse.cut = true;
    return Array.isArray(value) ? '[cut: list]' : '[cut: object]';
  }
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value) {
      if (purse.left <= 0) {
        purse.cut = true;
        break;
      }
      items.push(bound(item ?? null, depth - 1, purse));
    }
    return items;
  }
  const inner: Purse = { left: purse.left, cut: false };
  const bounded = boundMembers(value as JsonObject, { chars: inner.left, depth }, inner);
  purse.left = inner.left;
  purse.cut ||= inner.cut;
  return bounded;
}

function boundText(value: string, purse: Purse): string {
  const room = Math.max(purse.left, 16);
  purse.cut ||= value.length > room;
  const text = cutText(value, room);
  purse.left -= text.length;
  return text;
}

const finite = (value: number) => (Number.isFinite(value) ? value : null);
