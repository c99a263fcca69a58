import type { Citation, Claim, Explanation } from '../../domain/explanation.js';
import { segmentsOf } from '../explain/phrases.js';
import type { DraftSource, Section } from './draft-source.js';
import { codeSpan } from './safe-markdown.js';

/** Claims with the quotes they rest on. Nothing but our own sentences stands outside code. */
export function explanationSection({ explanation }: DraftSource): readonly Section[] {
  const { claims, source, model, insufficient, note } = explanation;
  const lines = claims.map((claim, index) => {
    const quotes = quotesOf(claim).map((quote) => `   - ${quote}`);
    return [`${index + 1}. ${claimText(claim, source)}`, ...quotes].join('\n');
  });
  const parts = ['### Explanation'];
  if (insufficient || claims.length === 0) parts.push('The evidence does not carry an explanation.');
  else if (source === 'model') {
    const name = codeSpan(model ?? 'unknown', 80);
    parts.push(
      `By the model ${name}, so read it with doubt. Every quote below was checked: it stands in the evidence.`,
    );
  } else parts.push('From the evidence alone, by fixed rules; no model wrote it.');
  if (lines.length > 0) parts.push(lines.join('\n'));
  if (note !== null) parts.push(`Note: ${codeSpan(note, 400)}`);
  return [{ name: 'the explanation', expendable: 4, text: parts.join('\n\n') }];
}

/** Sentences of ours in plain words with quotations as code; a model's claim, and any other text, wholly as code. */
function claimText({ text }: Claim, source: Explanation['source']): string {
  const segments = source === 'template' ? segmentsOf(text) : null;
  if (segments === null) return codeSpan(text, 400);
  return segments.map((one) => (one.kind === 'code' ? codeSpan(one.text) : one.text)).join('');
}

/** One line for each piece of evidence, its quotes after it. */
function quotesOf({ cites }: Claim): readonly string[] {
  const quotes = new Map<string, string[]>();
  for (const { evidence, quote } of cites) {
    const known = quotes.get(evidence) ?? [];
    quotes.set(evidence, [...known, codeSpan(quote, 80)]);
  }
  return [...quotes].map(([evidence, texts]) => `${evidenceName(evidence)}: ${texts.join(', ')}`);
}

function evidenceName(id: Citation['evidence']): string {
  const [, kind, what = ''] = /^(exception|frame|commit|hunk):(\d{1,6}|[0-9a-f]{40,64})$/.exec(id) ?? [];
  switch (kind) {
    case 'exception':
      return 'the error';
    case 'frame':
      return `stack frame ${Number(what)}`;
    case 'commit':
      return `commit ${codeSpan(what.slice(0, 7))}`;
    case 'hunk':
      return `the diff of ${codeSpan(what.slice(0, 7))}`;
    default:
      return id === 'run' ? 'the incident' : codeSpan(id, 60);
  }
}
