import type { JsonValue } from '../../domain/json.js';
import { isCardNumber } from './checksums.js';
import { isMasked, marker } from './cuts.js';
import type { KeyFacts } from './key-facts.js';
import type { KeyKind } from './key-kinds.js';
import { isPath } from './secret-values.js';
import type { TextRules } from './text-sanitiser.js';

/** The context of a value: its name, and the kind that this or an outer name implies. */
export interface LeafContext {
  readonly facts: KeyFacts;
  readonly kind: KeyKind | null;
  /** Neither its own nor an outer name implies anything about the value. */
  readonly plain: boolean;
}

export function leafContext(facts: KeyFacts, kind: KeyKind | null): LeafContext {
  return { facts, kind, plain: kind === null && !facts.address && !facts.home };
}

export interface LeafRules {
  readonly text: TextRules;
  /** For values whose names mean addresses. */
  readonly address: TextRules;
}

const NOTHING = /^(?:true|false|null|nil|none|undefined|yes|no|on|off)?$/i;
const VERSION = /^[v^~=]?\d{1,4}(?:\.\d{1,4}){1,3}(?:[-+.][\w.+-]{1,40})?$/;
/** A number with as many digits may be a card: `4111.1111.1111.1111` is no version. */
const CARD_DIGITS = 12;

/** Whether the whole value is redacted because of its name. */
export function goesByName(value: JsonValue | undefined, { facts, kind }: LeafContext): boolean {
  if (kind === null) return false;
  if (typeof value === 'number') return isSecretNumber(value, kind);
  return typeof value === 'string' && isSecretUnderKey(value, facts.key, kind);
}

function isSecretUnderKey(value: string, key: string, kind: KeyKind): boolean {
  if (isMasked(value) || NOTHING.test(value.trim())) return false;
  if (kind === 'code') return /^\d[\d -]{1,10}\d$/.test(value);
  if (kind === 'card') return digitsOf(value) >= CARD_DIGITS;
  if (VERSION.test(value) && digitsOf(value) < CARD_DIGITS) return false;
  if (kind === 'password' && /pwd$/i.test(key) && isPath(value)) return false;
  return /[\p{L}\p{N}]/u.test(value);
}

function digitsOf(value: string): number {
  return value.replace(/\D/g, '').length;
}

function isSecretNumber(value: number, kind: KeyKind): boolean {
  const { length } = String(Math.abs(value));
  if (kind === 'code') return length >= 3 && length <= 10;
  if (kind === 'card') return length >= CARD_DIGITS;
  return (kind === 'password' || kind === 'secret' || kind === 'ssn') && length >= 4;
}

/** Sanitises a value that is not a container. */
export function sanitiseLeaf(
  rules: LeafRules,
  value: JsonValue | undefined,
  place: LeafContext,
): { value: JsonValue; redactions: number } {
  if (goesByName(value, place)) return { value: marker(place.kind ?? ''), redactions: 1 };
  if (isCardNumber(value)) return { value: marker('card'), redactions: 1 };
  if (typeof value !== 'string') return { value: value as JsonValue, redactions: 0 };
  const { address, home } = place.facts;
  if (address) return rules.address.sanitise(value);
  if (!home || value.endsWith('/')) return rules.text.sanitise(value);
  const folder = rules.text.sanitise(`${value}/`);
  return { value: folder.value.slice(0, -1), redactions: folder.redactions };
}

/**
 * Whether {@link sanitiseLeaf} would redact something. A text that only its own characters decide is added to
 * `pending`, because many texts are checked in one pass.
 */
export function touchesLeaf(
  rules: LeafRules,
  value: JsonValue | undefined,
  place: LeafContext,
  pending: string[],
): boolean {
  if (place.kind !== null && goesByName(value, place)) return true;
  if (typeof value !== 'string') return isCardNumber(value);
  const { address, home } = place.facts;
  if (address) return rules.address.touches([value]);
  pending.push(home && !value.endsWith('/') ? `${value}/` : value);
  return false;
}
