import type { EvidenceItem } from '@culprit/core/connector';
import { type Citation, EXCEPTION_LABELS } from '@culprit/core/internal/domain/explanation';

const QUOTE_CHARS = 80;

/** Finds citations whose quotes appear verbatim in the evidence, at most 80 characters long; `null` if there is none. */
export interface Quotes {
  /** Frames that map to the repository, crash first. */
  readonly frames: readonly EvidenceItem[];
  /** The followed exception. */
  readonly thrown: EvidenceItem | null;
  line(id: string, index: number): Citation | null;
  text(id: string, wanted: string): Citation | null;
  /** The part of a line around a word. */
  around(id: string, word: string): Citation | null;
  /** The last line above the crash that assigns the name. */
  assignment(name: string): { readonly number: number; readonly citation: Citation } | null;
}

export function quotesFrom(evidence: readonly EvidenceItem[]): Quotes {
  const texts = new Map(evidence.map(({ id, text }) => [id, text]));
  const quoted = (id: string, text: string): Citation | null => {
    const quote = cut(text.trim());
    return quote !== '' && texts.get(id)?.includes(quote) ? { evidence: id, quote } : null;
  };
  const frames = evidence.filter(({ id }) => id.startsWith('frame:'));
  const exceptions = evidence.filter(({ id }) => id.startsWith('exception:'));
  const followed = exceptions.findLast(({ label }) => label === EXCEPTION_LABELS.followed);
  return {
    frames,
    thrown: followed ?? exceptions.at(-1) ?? null,
    line: (id, index) => quoted(id, texts.get(id)?.split('\n')[index] ?? ''),
    text: quoted,
    around: (id, word) => {
      const line = (texts.get(id) ?? '').split('\n').find((text) => text.includes(word)) ?? '';
      if (line.length <= QUOTE_CHARS) return quoted(id, line);
      const start = line.indexOf(word) - Math.floor((QUOTE_CHARS - word.length) / 2);
      return quoted(id, line.slice(Math.max(0, start)).replace(/^\w+\b(?=\W)/, ''));
    },
    assignment: (name) => {
      const assigns = new RegExp(
        `(?<![\\w$.@])${name.replace(/[.$]/g, '\\$&')}\\s*(?::[^=]{1,80})?:?=(?![=>~])`,
      );
      const crashed = frames[0]?.location?.line ?? 0;
      const lines = (texts.get('source') ?? '').split('\n').slice(1);
      const above = lines.flatMap((line) => {
        const [, number = '0', code = ''] = /^(\d{1,7}): (.*)$/.exec(line) ?? [];
        return Number(number) < crashed && assigns.test(code) ? [{ number: Number(number), code }] : [];
      });
      const last = above.at(-1);
      const citation = last && quoted('source', last.code);
      return last && citation ? { number: last.number, citation } : null;
    },
  };
}

/** At most 80 characters, without half a character at the end. */
function cut(text: string): string {
  const short = text.slice(0, QUOTE_CHARS);
  return /[\ud800-\udbff]$/.test(short) ? short.slice(0, -1) : short;
}
