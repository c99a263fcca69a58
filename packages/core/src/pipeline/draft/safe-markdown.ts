import { clip, visible } from './visible.js';

/** Characters of a code span, before escapes. */
const SPAN_CHARS = 240;

/**
 * Text from outside as one Markdown code span: nothing in it can end the span, start a line, mention, link, or hide.
 * `most` bounds its characters.
 */
export function codeSpan(text: string, most: number = SPAN_CHARS): string {
  const line = visible(clip(text, most))
    .replace(/\s*\n\s*/g, ' ⏎ ')
    .replaceAll('\t', ' ')
    .trim();
  if (line === '') return '`(empty)`';
  const ticks = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** Markdown as the content of a table's cell. A `|` would end the cell even in a code span, so it becomes `│`. */
export function tableCell(markdown: string): string {
  return markdown.replaceAll('|', '│').replaceAll('\n', ' ');
}

/** Text from outside as a fenced block that nothing in it can close. */
export function fence(text: string, info: '' | 'diff' | 'text' = ''): string {
  const content = visible(text).replace(/\n+$/, '');
  const ticks = '`'.repeat(Math.max(3, longestRun(content) + 1));
  return `${ticks}${info}\n${content}\n${ticks}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

const TITLE_CHARS = 200;
/** What errors are full of and a title may not hold, by what reads the same. */
const STAND_INS: Readonly<Record<string, string>> = { '`': "'", '[': '(', ']': ')', '\\': '/' };
/** Letters that look like nothing. */
const BLANK_LETTERS = /[\u115f\u1160\u3164\uffa0]/g;

/**
 * Text from outside as an issue title, by an allow-list: letters, marks and digits of any script, spaces and some
 * punctuation. What could mention (`@`), refer (`#1`, `GH-1`, a commit's name) or link (`://`, `www.`) is taken apart.
 */
export function safeTitle(text: string, otherwise = 'Crash'): string {
  const allowed = clip(text, 4 * TITLE_CHARS)
    .replace(/[`[\]\\]/g, (character) => STAND_INS[character] ?? ' ')
    .replace(BLANK_LETTERS, ' ')
    .replace(/[^\p{L}\p{M}\p{N} .,:;'"()\-_/=+!?%&*]/gu, ' ')
    .replace(/(\p{M}{3})\p{M}+/gu, '$1')
    .replace(/:\/\/+/g, ': ')
    .replace(/www\./gi, 'www ')
    .replace(/\bGH-(?=\d)/gi, 'GH ')
    .replace(/\b[0-9a-f]{7,64}\b/gi, (word) =>
      /[a-f]/i.test(word) && /\d/.test(word) ? `${word.slice(0, 6)}…` : word,
    )
    .replace(/\s+/g, ' ')
    .trim();
  return allowed === '' ? otherwise : clip(allowed, TITLE_CHARS);
}

export interface LinkParts {
  readonly sha: string;
  readonly path?: string;
  readonly line?: number;
}

/** An address from a code host's template with its parts URL-encoded; `null` unless it is plain http or https. */
export function permanentLink(template: string | null, parts: LinkParts): string | null {
  if (template === null || !/^[0-9a-f]{7,64}$/.test(parts.sha)) return null;
  const path = (parts.path ?? '').split('/').map(encodeSegment).join('/');
  const filled = template
    .replaceAll('{sha}', () => parts.sha)
    .replaceAll('{path}', () => path)
    .replaceAll('{line}', () => String(parts.line ?? 1));
  return safeUrl(filled);
}

/** The address if it can stand in a Markdown link as it is, else `null`. */
export function safeUrl(url: string | null): string | null {
  return url !== null &&
    url.length <= 2_000 &&
    !/&#?\w+;/.test(url) &&
    /^https?:\/\/[\w.~:/?#@!$&'*+,;=%[\]-]+$/.test(url)
    ? url
    : null;
}

export function link(markdown: string, url: string | null): string {
  return url === null ? markdown : `[${markdown}](${url})`;
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.replace(/\p{Surrogate}/gu, '\ufffd')).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
