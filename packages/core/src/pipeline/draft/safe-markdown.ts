import { clip, visible } from './visible.js';

/** Default limit of a code span's characters, before escapes. */
const SPAN_CHARS = 240;

/**
 * Untrusted text as one Markdown code span of at most `most` characters. The text cannot end the span, start a line,
 * mention, link or hide.
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

/** Markdown as a table cell. `|` ends a cell even in a code span, so it becomes `│`. */
export function tableCell(markdown: string): string {
  return markdown.replaceAll('|', '│').replaceAll('\n', ' ');
}

/** Untrusted text as a fenced code block that it cannot close. */
export function fence(text: string, info: '' | 'diff' | 'text' = ''): string {
  const content = withoutLastLines(visible(text));
  const ticks = '`'.repeat(Math.max(3, longestRun(content) + 1));
  return `${ticks}${info}\n${content}\n${ticks}`;
}

/** A pattern would read each row of line ends again from each of them. */
function withoutLastLines(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 10) end--;
  return text.slice(0, end);
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

const TITLE_CHARS = 200;
/** Characters that are common in errors but not allowed in titles, with look-alikes. */
const STAND_INS: Readonly<Record<string, string>> = { '`': "'", '[': '(', ']': ')', '\\': '/' };
/** Letters without a visible glyph. */
const BLANK_LETTERS = /[\u115f\u1160\u3164\uffa0]/g;

/**
 * Untrusted text as an issue title. Letters, marks and digits of any script, spaces and some punctuation are allowed.
 * Mentions (`@`), references (`#1`, `GH-1`, GitLab's `!1`, `&1` and `%1`, commit SHAs) and links (`://`, `www.`) are broken up.
 */
export function safeTitle(text: string, otherwise = 'Crash'): string {
  const allowed = clip(text, 4 * TITLE_CHARS)
    .replace(/[`[\]\\]/g, (character) => STAND_INS[character] ?? ' ')
    .replace(BLANK_LETTERS, ' ')
    .replace(/[^\p{L}\p{M}\p{N} .,:;'"()\-_/=+!?%&*]/gu, ' ')
    .replace(/(\p{M}{3})\p{M}+/gu, '$1')
    .replace(/:\/\/+/g, ': ')
    .replace(/www\./gi, 'www ')
    .replace(/\b(GH|GL)-(?=\d)/gi, '$1 ')
    .replace(/[!&%](?=["'\p{L}\p{N}_])/gu, '$& ')
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

/** A code host's URL template filled with URL-encoded parts; `null` unless the result is an http or https URL. */
export function permanentLink(template: string | null, parts: LinkParts): string | null {
  if (template === null || !/^[0-9a-f]{7,64}$/.test(parts.sha)) return null;
  const path = (parts.path ?? '').split('/').map(encodeSegment).join('/');
  const filled = template
    .replaceAll('{sha}', () => parts.sha)
    .replaceAll('{path}', () => path)
    .replaceAll('{line}', () => String(parts.line ?? 1));
  return safeUrl(filled);
}

/** A code host's URL template filled with the number of a pull request; `null` as for {@link permanentLink}. */
export function numberedLink(template: string | null, number: number): string | null {
  return safeUrl(template?.replaceAll('{number}', String(Math.trunc(number))) ?? null);
}

/** The URL if it is safe in a Markdown link, else `null`. */
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
