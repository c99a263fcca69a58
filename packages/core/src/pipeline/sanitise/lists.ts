import { STEPS, spend } from './budget.js';
import type { Cut } from './cuts.js';
import type { KeyKind } from './key-kinds.js';
import { isSecretText } from './secret-values.js';

const LONGEST = 4096;
const LIST = /\[\s{0,16}(?:\\{0,7}["'])?(?<items>[^[\]{}]{1,4096})\]/y;

/** Go’s `X-Api-Key:[abc]` and JSON’s `"tokens":["a1","b2"]`. Lists of words and of sentences are no secrets. */
export function cutList(text: string, open: number, kind: KeyKind | null, name: string): Cut | null {
  LIST.lastIndex = open;
  const found = kind === null ? null : LIST.exec(text);
  if (kind === null || found === null) return null;
  spend(STEPS.value * found[0].length);
  const items = (found.groups?.items ?? '').replace(/\\{0,7}["']?\s{0,16}$/, '');
  const isValue = /\d/.test(items) && (kind === 'auth' || kind === 'cookie' || !/[\w]\s/.test(items));
  if (!isValue || items.includes('[redacted:') || !isSecretText(items, kind, name)) return null;
  const from = open + found[0].length - 1 - (found.groups?.items ?? '').length;
  return { from, to: from + items.length, kind };
}

/** PostgreSQL’s `Key (token)=(abc) already exists`. */
export function cutParentheses(text: string, from: number, kind: KeyKind | null, name: string): Cut | null {
  const to = text.indexOf(')', from);
  if (kind === null || to < 0 || to - from > LONGEST) return null;
  spend(STEPS.value * (to - from));
  return isSecretText(text.slice(from, to), kind, name) ? { from, to, kind } : null;
}
