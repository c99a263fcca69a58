import { type Citation, type EvidenceItem, EXCEPTION_LABELS } from '@culprit/core';

const QUOTE_CHARS = 80;

/** Makes citations whose quotes stand in the evidence, verbatim and short enough; `null` where there is nothing. */
export interface Cited {
  /** Frames that lead to the repository, crash first. */
  readonly frames: readonly EvidenceItem[];
  /** The exception whose stack is followed. */
  readonly thrown: EvidenceItem | null;
  line(id: string, index: number): Citation | null;
  text(id: string, wanted: string): Citation | null;
  /** A piece of the text with the word in it. */
  around(id: string, word: string): Citation | null;
  /** The last line above the crash that gives a value to the name. */
  assignment(name: string): { readonly number: number; readonly citation: Citation } | null;
}

export function citing(evidence: readonly EvidenceItem[]): Cited {
  const texts = new Map(evidence.map(({ id, text }) => [id, text]));
  const quoted = (id: string, text: string): Citation | null => {
    const quote = cut(text.trim());
    return quote !== '' && texts.get(id)?.includes(quote) ? { evidence: id, quote } : null;
  };
  const frames = evidence.filter(({ id }) => id.startsWith('frame:'));
  const crashed = Number(/:(\d+)(?: in |$)/.exec(frames[0]?.text.split('\n')[0] ?? '')?.[1] ?? 0);
  return {
    frames,
    thrown:
      evidence.findLast(
        ({ id, label }) => id.startsWith('exception:') && label === EXCEPTION_LABELS.followed,
      ) ??
      evidence.findLast(({ id }) => id.startsWith('exception:')) ??
      null,
    line: (id, index) => quoted(id, texts.get(id)?.split('\n')[index] ?? ''),
    text: quoted,
    around: (id, word) => {
      const line = (texts.get(id) ?? '').split('\n').find((text) => text.includes(word)) ?? '';
      if (line.length <= QUOTE_CHARS) return quoted(id, line);
      const middle = line.indexOf(word) - Math.floor((QUOTE_CHARS - word.length) / 2);
      return quoted(id, line.slice(Math.max(0, middle)).replace(/^\w+\b(?=\W)/, ''));
    },
    assignment: (name) => {
      const gives = new RegExp(
        `(?<![\\w$.@])${name.replace(/[.$]/g, '\\$&')}\\s*(?::[^=]{1,80})?:?=(?![=>~])`,
      );
      const lines = (texts.get('source') ?? '').split('\n').slice(1);
      const above = lines.flatMap((line) => {
        const [, number = '0', code = ''] = /^(\d{1,7}): (.*)$/.exec(line) ?? [];
        return Number(number) < crashed && gives.test(code) ? [{ number: Number(number), code }] : [];
      });
      const last = above.at(-1);
      const citation = last && quoted('source', last.code);
      return last && citation ? { number: last.number, citation } : null;
    },
  };
}

/** At most 80 characters, not ending in half of one. */
function cut(text: string): string {
  const short = text.slice(0, QUOTE_CHARS);
  return /[\ud800-\udbff]$/.test(short) ? short.slice(0, -1) : short;
}
