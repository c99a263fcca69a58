import { hash } from 'node:crypto';
import type { EvidenceItem, ExplainRequest } from '@culprit/core/connector';
import { ANSWER_SCHEMA, LEFT_OUT, QUESTION, REMINDER, SYSTEM } from './v1.js';

export interface Prompt {
  readonly system: string;
  readonly user: string;
  /** Of the answer, as JSON Schema; `null`: plain text. */
  readonly schema: object | null;
}

/**
 * The prompt for a request, within its byte limit. Every piece of evidence is enclosed by lines with a word that the evidence
 * cannot contain, because it is derived from all of it. Pure: the same request gives the same bytes.
 */
export function renderPrompt(request: ExplainRequest, mostBytes: number): Prompt {
  const word = fenceWord(request.evidence);
  const fixed = [QUESTION, LEFT_OUT, REMINDER].join('\n\n');
  let left = mostBytes - bytes(SYSTEM) - bytes(fixed) - 16;
  const chosen = new Set<EvidenceItem>();
  for (const item of byWeight(request)) {
    const cost = bytes(block(item, word)) + 2;
    if (cost > left) continue;
    left -= cost;
    chosen.add(item);
  }
  const shown = request.evidence.filter((item) => chosen.has(item));
  const parts = [
    QUESTION,
    ...shown.map((item) => block(item, word)),
    ...(shown.length < request.evidence.length ? [LEFT_OUT] : []),
    REMINDER,
  ];
  return { system: SYSTEM, user: parts.join('\n\n'), schema: ANSWER_SCHEMA };
}

function block({ id, label, text }: EvidenceItem, word: string): string {
  return fenced(word, `evidence ${JSON.stringify(id)} (${label})`, text);
}

/** The error and the crashed frame first, then the changes of the first suspects, then the rest in order. */
function byWeight({ evidence, suspects }: ExplainRequest): readonly EvidenceItem[] {
  const rank = new Map(suspects.map(({ sha }, index) => [sha, index]));
  const crash = evidence.find(({ id }) => id.startsWith('frame:'));
  const weight = (item: EvidenceItem): number => {
    const [kind, what = ''] = item.id.split(':');
    if (kind === 'exception') return 0;
    if (item === crash) return 1;
    if (kind === 'source') return 1.5;
    if (kind === 'hunk') return 2 + 3 * (rank.get(what) ?? 9);
    if (kind === 'commit') return 3 + 3 * (rank.get(what) ?? 9);
    return kind === 'frame' ? 4 : 5;
  };
  return [...evidence].sort((a, b) => weight(a) - weight(b));
}

/** A word that none of the texts can contain, because it is derived from all of them. */
export function fenceWord(texts: unknown): string {
  return hash('sha256', JSON.stringify(texts)).slice(0, 16);
}

/** A piece of untrusted text, enclosed by lines with the word. `title` is the connector's own. */
export function fenced(word: string, title: string, text: string): string {
  return `BEGIN ${word} ${title}\n${text}\nEND ${word}`;
}

export function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
