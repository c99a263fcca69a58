import type { JsonValue } from '../../domain/json.js';
import type { KeyFacts } from './key-facts.js';
import { type LeafContext, type LeafRules, touchesLeaf } from './leaf.js';
import { type Members, placeOfItem, placeOfMember } from './places.js';

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
