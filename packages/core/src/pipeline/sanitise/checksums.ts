import type { JsonValue } from '../../domain/json.js';
import type { Cut } from './cuts.js';

/** The Luhn check over a row of digits. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    let digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    if (index % 2 === 1) {
      digit *= 2;
      if (digit > 9) digit -= 9;
    }
    sum += digit;
  }
  return digits.length > 0 && sum % 10 === 0;
}

/** Card prefixes with their lengths (ISO/IEC 7812, as published by the card schemes); separates most ids from cards. */
const SCHEMES: readonly { readonly prefix: RegExp; readonly lengths: readonly number[] }[] = [
  { prefix: /^4/, lengths: [13, 16, 19] },
  { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { prefix: /^3[47]/, lengths: [15] },
  { prefix: /^(?:6011|64[4-9]|65)/, lengths: [16, 19] },
  { prefix: /^35(?:2[89]|[3-8])/, lengths: [16] },
  { prefix: /^(?:30[0-5]|3095|36|3[89])/, lengths: [14, 16] },
  { prefix: /^62/, lengths: [16, 17, 18, 19] },
  { prefix: /^(?:50|5[6-8]|67)/, lengths: [13, 16, 18, 19] },
];

function isCard(digits: string): boolean {
  const known = SCHEMES.some(({ prefix, lengths }) => lengths.includes(digits.length) && prefix.test(digits));
  return known && !/^(\d)\1+$/.test(digits) && passesLuhn(digits);
}

/** 13 digits are a time or a counter more often than one of the old, short cards. */
const SMALLEST_CARD = 1e13;

/** Whether a JSON number is a card number. */
export function isCardNumber(value: JsonValue | undefined): boolean {
  return (
    typeof value === 'number' &&
    value >= SMALLEST_CARD &&
    Number.isSafeInteger(value) &&
    isCard(String(value))
  );
}

/** Finds the card numbers in a row of digit groups (`4111 1111 1111 1111 2`) that begins at `start` of a text. */
export function cardsIn(row: string, start: number): readonly Cut[] {
  const cuts: Cut[] = [];
  for (let at = 0; at < row.length; ) {
    const end = groupEnd(row, at);
    const card = end - at < SHORTEST_GROUP ? -1 : cardEnd(row, at);
    if (card >= 0) cuts.push({ from: start + at, to: start + card, kind: 'card' });
    at = Math.max(card, end) + 1;
  }
  return cuts;
}

/** Sizes of the groups in which a card number is written. */
const SHORTEST_GROUP = 3;
const LONGEST_CARD = 19;

function groupEnd(row: string, start: number): number {
  let end = start;
  while (end < row.length && row.charCodeAt(end) >= 48) end++;
  return end;
}

/** The end of the longest card number that begins at `start`, or -1. */
function cardEnd(row: string, start: number): number {
  let digits = '';
  let found = -1;
  for (let at = start; at < row.length && digits.length < LONGEST_CARD; ) {
    const end = groupEnd(row, at);
    if (end - at < SHORTEST_GROUP || end - at > LONGEST_CARD) break;
    digits += row.slice(at, end);
    if (isCard(digits)) found = end;
    at = end + 1;
  }
  return found;
}

/** ISO 13616: the rearranged digits must be 1 modulo 97. */
export function isIban(text: string): boolean {
  const compact = text.replaceAll(' ', '').toUpperCase();
  if (compact.length < 15 || compact.length > 34) return false;
  let rest = 0;
  const rearranged = compact.slice(4) + compact.slice(0, 4);
  for (let index = 0; index < rearranged.length; index++) {
    const code = rearranged.charCodeAt(index);
    const value = code > 64 ? code - 55 : code - 48;
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
