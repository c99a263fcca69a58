import type { JsonValue } from '../../domain/json.js';
import { type KeyFacts, kindOfClean } from './key-facts.js';
import { type LeafContext, leafContext } from './leaf.js';

export type Members = Readonly<Record<string, JsonValue | undefined>>;
type FactsOf = (key: string) => KeyFacts;

/** The context of a member: by an outer name, its own name, or the `name` next to a `value`. */
export function placeOfMember(
  members: Members,
  own: KeyFacts,
  outer: LeafContext,
  factsOf: FactsOf,
): LeafContext {
  if (outer.kind !== null) return leafContext(own, outer.kind);
  return own.sibling === null ? own.place : placeBySibling(members, own, factsOf);
}

function placeBySibling(members: Members, own: KeyFacts, factsOf: FactsOf): LeafContext {
  if (own.sibling === 'kty') return typeof members.kty === 'string' ? leafContext(own, 'api_key') : own.place;
  const name = members.name ?? members.key ?? members.Name ?? members.Key;
  return typeof name === 'string' ? factsOf(name).place : own.place;
}

/**
 * The context of a list item: inherited, except that the second of a pair (`["Cookie", "…"]` in a list), every second of Node's
 * `rawHeaders`, and the item after `--password` are named by the item before.
 */
export function placeOfItem(
  items: readonly JsonValue[],
  index: number,
  outer: LeafContext,
  inArray: boolean,
  factsOf: FactsOf,
): LeafContext {
  const before = items[index - 1];
  if (outer.kind !== null || typeof before !== 'string') return outer;
  const pair = inArray && items.length === 2 && index === 1;
  const inTurn = outer.facts.flatHeaders && index % 2 === 1;
  const flag = before.charCodeAt(0) === 45 && /^--?[A-Za-z][\w-]{0,60}$/.test(before);
  if (!pair && !flag && !inTurn) return outer;
  const facts = factsOf(before);
  return leafContext(facts, flag ? kindOfClean(facts.clean.replace(/^-+/, '')) : facts.kind);
}
