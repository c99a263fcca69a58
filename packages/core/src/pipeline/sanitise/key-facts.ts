import type { JsonValue } from '../../domain/json.js';
import { isSpent, STEPS, spend, UNCHECKED, withOwnBudget } from './budget.js';
import { marker } from './cuts.js';
import { isAddressKey, type KeyKind, kindOfKey } from './key-kinds.js';
import { type LeafContext, leafContext } from './leaf.js';
import type { TextRules } from './text-sanitiser.js';
import { isFlatHeaders } from './value-forms.js';

/** What a member's name implies about its value. */
export interface KeyFacts {
  readonly key: string;
  /** The name without secrets. */
  readonly clean: string;
  readonly redactions: number;
  readonly kind: KeyKind | null;
  /** The value is the address of a person's device. */
  readonly address: boolean;
  /** The value is a folder that may end in an account name. */
  readonly home: boolean;
  /** The value may be a list of header names and values in turn. */
  readonly flatHeaders: boolean;
  /** The sibling that decides, too: the name of a `value`, and `kty` beside the private members of a JSON Web Key. */
  readonly sibling: 'name' | 'kty' | null;
  /** The context of the value, unless an outer name is more specific. */
  readonly place: LeafContext;
}

const HOME_KEY = /^(?:home|pwd|oldpwd|cwd|userprofile|homepath|project_root|working_?dir(?:ectory)?)$/i;

/** Maximum number and length of cached names. Senders cannot raise these bounds. */
const REMEMBERED = 4096;
const LONGEST = 64;

/** Too short for a card number. Objects keyed by number have thousands of such names, which do not repeat. */
const NUMBER = /^\d{1,12}$/;

/** Facts by name. Names repeat, so they are cached, except those that held a secret. */
export function createKeyFacts({ sanitise, shortest }: TextRules): (key: string) => KeyFacts {
  const known = new Map<string, KeyFacts>();
  // Custom rules may match numbers, too.
  const numberPlace = shortest > 0 ? makeFacts('0', '0', 0).place : null;
  return (key) => {
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    if (numberPlace !== null && NUMBER.test(key)) return { ...numberPlace.facts, key, clean: key };
    spend(STEPS.name);
    if (isSpent()) return makeFacts(key, marker(UNCHECKED), 1);
    const isCached = key.length <= LONGEST;
    const { value: clean, redactions } = isCached ? withOwnBudget(() => sanitise(key)) : sanitise(key);
    const facts = makeFacts(key, clean, redactions);
    if (redactions > 0 || !isCached) return facts;
    if (known.size >= REMEMBERED) known.clear();
    known.set(key, facts);
    return facts;
  };
}

function makeFacts(key: string, clean: string, redactions: number): KeyFacts {
  const kind = kindOfClean(clean);
  const facts: { -readonly [Name in keyof KeyFacts]: KeyFacts[Name] } = {
    key,
    clean,
    redactions,
    kind,
    address: isAddressKey(key),
    home: key.length <= LONGEST_HOME && HOME_KEY.test(key),
    flatHeaders: isFlatHeaders(key),
    sibling: key === 'value' || key === 'Value' ? 'name' : JWK_SECRETS.has(key) ? 'kty' : null,
    place: NOWHERE,
  };
  // The two refer to each other.
  facts.place = leafContext(facts, kind);
  return facts;
}

/** The members of a JSON Web Key that are private (RFC 7518 §6.2.2, §6.3.2, §6.4). */
const JWK_SECRETS = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']);

const LONGEST_HOME = 20;
const NOWHERE = { kind: null, plain: false } as LeafContext;

/** The kind of a sanitised name: `[redacted:card]` itself has none. */
function kindOfClean(name: string): KeyKind | null {
  return kindOfKey(name.includes('[redacted:') ? name.replace(/\[redacted:[\w-]{1,40}\]/g, ' x ') : name);
}

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
