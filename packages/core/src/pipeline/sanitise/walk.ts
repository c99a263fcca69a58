import type { JsonValue } from '../../domain/json.js';
import { marker } from './cuts.js';
import { type KeyFacts, type Members, placeOfItem, placeOfMember } from './key-facts.js';
import { type LeafContext, type LeafRules, sanitiseLeaf, touchesLeaf } from './leaf.js';
import { frameLinesInsideKeys, linesInsideKeys } from './private-keys.js';

/** The path to a value, innermost key first. */
export interface Way {
  readonly key: string | number;
  readonly outer: Way | null;
}

/** Called for everything redacted: a value, or a secret in a member's name. */
export type Finder = (found: {
  readonly way: Way | null;
  readonly inName: boolean;
  readonly place: LeafContext;
  readonly before: JsonValue;
  readonly after: JsonValue;
}) => void;

interface Container {
  readonly source: readonly JsonValue[] | Members;
  readonly target: JsonValue[] | Record<string, JsonValue>;
  readonly place: LeafContext;
  readonly inArray: boolean;
  readonly way: Way | null;
  /** Items that are lines of a private key. */
  readonly keyLines?: ReadonlySet<number> | undefined;
}

export interface WalkParts {
  readonly root: LeafContext;
  readonly rules: LeafRules;
  readonly factsOf: (key: string) => KeyFacts;
  readonly found?: Finder;
}

/** Copies the value without its secrets, container by container; not recursive, so depth cannot break it. */
export function walk<T extends JsonValue>(value: T, parts: WalkParts): { value: T; redactions: number } {
  const { root, rules, factsOf, found } = parts;
  let redactions = 0;
  const open: Container[] = [];
  const put = (
    item: JsonValue | undefined,
    place: LeafContext,
    inArray: boolean,
    way: Way | null,
    keyLines?: ReadonlySet<number>,
  ): JsonValue => {
    if (typeof item === 'object' && item !== null) {
      const target = Array.isArray(item) ? [] : {};
      open.push({ source: item as Container['source'], target, place, inArray, way, keyLines });
      return target as JsonValue;
    }
    const result =
      keyLines === undefined
        ? sanitiseLeaf(rules, item, place)
        : { value: marker('private_key'), redactions: 1 };
    redactions += result.redactions;
    if (result.redactions > 0)
      found?.({ way, inName: false, place, before: item ?? null, after: result.value });
    return result.value;
  };
  const result = put(value, root, false, null);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { source, target, place: outer, inArray, way } = next;
    if (Array.isArray(source)) {
      const items = source as readonly JsonValue[];
      const inKey = next.keyLines ?? linesInsideKeys(items);
      for (let index = 0; index < items.length; index++) {
        const place = placeOfItem(items, index, outer, inArray, factsOf);
        const line = inKey.has(index) ? inKey : undefined;
        (target as JsonValue[]).push(put(items[index], place, true, { key: index, outer: way }, line));
      }
      continue;
    }
    const members = source as Members;
    const names = new Map<string, number>();
    const inKeys = frameLinesInsideKeys(members);
    for (const key of Object.keys(members)) {
      const item = members[key];
      if (item === undefined) continue;
      const own = factsOf(key);
      redactions += own.redactions;
      const name = nameIn(names, own);
      const inner = { key: name, outer: way };
      if (own.redactions > 0)
        found?.({ way: inner, inName: true, place: outer, before: key, after: own.clean });
      const made = put(item, placeOfMember(members, own, outer, factsOf), false, inner, inKeys.get(key));
      setMember(target as Record<string, JsonValue>, name, made);
    }
  }
  return { value: result as T, redactions };
}

/** Names that become equal stay distinct: `[redacted:email]`, `[redacted:email]~2`. */
function nameIn(names: Map<string, number>, { clean, redactions }: KeyFacts): string {
  if (redactions === 0) return clean;
  const seen = (names.get(clean) ?? 0) + 1;
  names.set(clean, seen);
  return seen > 1 ? `${clean}~${seen}` : clean;
}

/** `__proto__` must become a member, not the prototype. */
function setMember(target: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (name !== '__proto__') {
    target[name] = value;
    return;
  }
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

/** Texts checked in one pass. */
const PENDING = 1024;

/**
 * Whether the sanitiser would redact nothing in the value, names included. Copies nothing, stops soon after the first
 * finding, and does not recurse, so that depth cannot break it.
 */
export function isClean(
  value: JsonValue,
  root: LeafContext,
  rules: LeafRules,
  factsOf: (key: string) => KeyFacts,
): boolean {
  const containers: JsonValue[] = [];
  const places: LeafContext[] = [];
  const inArrays: boolean[] = [];
  let pending: string[] = [];
  const { shortest } = rules.text;
  /** Whether the value must change. Containers are checked later. */
  const touches = (item: JsonValue | undefined, place: LeafContext, inArray: boolean): boolean => {
    if (typeof item === 'string' && place.plain) {
      if (item.length >= shortest) pending.push(item);
      return false;
    }
    if (typeof item !== 'object' || item === null) return touchesLeaf(rules, item, place, pending);
    containers.push(item);
    places.push(place);
    inArrays.push(inArray);
    return false;
  };
  if (touches(value, root, false)) return false;
  for (let next = containers.pop(); next !== undefined; next = containers.pop()) {
    const outer = places.pop() ?? root;
    const inArray = inArrays.pop() === true;
    if (Array.isArray(next)) {
      const items = next as readonly JsonValue[];
      for (let index = 0; index < items.length; index++) {
        if (touches(items[index], placeOfItem(items, index, outer, inArray, factsOf), true)) return false;
      }
    } else {
      const members = next as Members;
      for (const key in members) {
        const item = members[key];
        const own = factsOf(key);
        if (own.redactions > 0 || item === undefined) return false;
        if (touches(item, placeOfMember(members, own, outer, factsOf), false)) return false;
      }
    }
    if (pending.length >= PENDING) {
      if (rules.text.touches(pending)) return false;
      pending = [];
    }
  }
  return !rules.text.touches(pending);
}
