import { isAddressKey, type KeyKind, kindOfKey } from './key-kinds.js';
import { type LeafContext, leafContext } from './leaf.js';
import type { TextRules } from './text-sanitiser.js';

/** What a member's name says of its value. */
export interface KeyFacts {
  readonly key: string;
  /** The name without the secrets that stood in it. */
  readonly clean: string;
  readonly redactions: number;
  readonly kind: KeyKind | null;
  /** Its value is the address of a person's device. */
  readonly address: boolean;
  /** Its value is a folder that may end in an account's name. */
  readonly home: boolean;
  /** Where its value stands, if no outer name says more. */
  readonly place: LeafContext;
}

const HOME_KEY = /^(?:home|pwd|oldpwd|cwd|userprofile|homepath|project_root|working_?dir(?:ectory)?)$/i;

/** How many names are remembered, and how long they may be: a bound on memory that senders cannot move. */
const REMEMBERED = 4096;
const LONGEST = 64;

/** Too few digits for a card's number. Objects by number have thousands of such names, of which none comes again. */
const NUMBER = /^\d{1,12}$/;

/** Facts by name. Names come again and again, so they are remembered; those that held a secret are not. */
export function createKeyFacts({ sanitise, shortest }: TextRules): (key: string) => KeyFacts {
  const known = new Map<string, KeyFacts>();
  // Rules of an installation may want numbers, too.
  const numberPlace = shortest > 0 ? makeFacts('0', '0', 0).place : null;
  return (key) => {
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    if (numberPlace !== null && NUMBER.test(key)) return { ...numberPlace.facts, key, clean: key };
    const { value: clean, redactions } = sanitise(key);
    const facts = makeFacts(key, clean, redactions);
    if (redactions > 0 || key.length > LONGEST) return facts;
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
    place: NOWHERE,
  };
  // The two know each other, so one of them is finished after the other is made.
  facts.place = leafContext(facts, kind);
  return facts;
}

const LONGEST_HOME = 20;
const NOWHERE = { kind: null, plain: false } as LeafContext;

/** What a name tells once its own secrets are out: `[redacted:card]` as a name tells nothing. */
export function kindOfClean(name: string): KeyKind | null {
  return kindOfKey(name.includes('[redacted:') ? name.replace(/\[redacted:[\w-]{1,40}\]/g, ' x ') : name);
}
