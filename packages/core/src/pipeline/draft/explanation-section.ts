import type { Citation, Claim } from '../../domain/explanation.js';
import { segmentsOf } from '../explain/phrases.js';
import { isGroup } from '../locate/crash-exception.js';
import type { DraftSource, Section } from './draft-source.js';
import { codeSpan } from './safe-markdown.js';

/** Claims with their evidence; nothing without any, unless a note says why. Only sentences of `PHRASES` appear outside code. */
export function explanationSection(source: DraftSource): readonly Section[] {
  const { claims, source: by, model, insufficient, note } = source.explanation;
  if (claims.length === 0 && note === null) return [];
  const lines = claims.map((claim, index) => claimText(claim, index + 1, source));
  const parts = ['### Explanation'];
  if (insufficient || claims.length === 0) parts.push('The evidence does not support an explanation.');
  else if (by === 'model') {
    const name = codeSpan(model ?? 'unknown', 80);
    parts.push(
      `Written by the model ${name}, which may be wrong. Every quote below appears verbatim in the evidence.`,
    );
  } else parts.push('Written from the evidence by fixed rules, without a model.');
  if (lines.length > 0) parts.push(lines.join('\n'));
  if (note !== null) parts.push(`Note: ${codeSpan(note, 400)}`);
  return [{ name: 'the explanation', expendable: 4, text: parts.join('\n\n') }];
}

/**
 * A claim in the words of `PHRASES` as text with code spans; any other claim, and every claim of a model, as one code span.
 * The evidence follows, with quotes unless the claim itself has some.
 */
function claimText(claim: Claim, number: number, source: DraftSource): string {
  const segments = source.explanation.source === 'template' ? segmentsOf(claim.text) : null;
  const text = segments?.map((one) => (one.kind === 'code' ? codeSpan(one.text) : one.text)).join('');
  const quotes = segments?.some(({ kind }) => kind === 'code') ?? false;
  const evidence = quotes ? evidenceNames(claim, source) : evidenceWithQuotes(claim, source);
  return `${number}. ${text ?? codeSpan(claim.text, 400)}\n   - Evidence: ${evidence.join('; ')}`;
}

function evidenceNames({ cites }: Claim, source: DraftSource): readonly string[] {
  return [...new Set(cites.map(({ evidence }) => evidenceName(evidence, source)))];
}

function evidenceWithQuotes({ cites }: Claim, source: DraftSource): readonly string[] {
  const quotes = new Map<string, string[]>();
  for (const { evidence, quote } of cites) {
    const known = quotes.get(evidence) ?? [];
    quotes.set(evidence, [...known, codeSpan(quote, 80)]);
  }
  return [...quotes].map(([id, texts]) => `${evidenceName(id, source)} (${texts.join(', ')})`);
}

function evidenceName(id: Citation['evidence'], { thrown, located }: DraftSource): string {
  const [, kind, what = ''] = /^(exception|frame|commit|hunk):(\d{1,6}|[0-9a-f]{40,64})$/.exec(id) ?? [];
  switch (kind) {
    case 'exception':
      if (thrown === null || Number(what) === thrown.index) return 'the error';
      if (Number(what) > thrown.index) return 'the reported error';
      return isGroup(thrown.exception) ? 'a member of the group' : 'the cause';
    case 'frame': {
      const at = located.find(({ frame }) => frame === Number(what));
      return at === undefined ? 'the stack trace' : `the frame at ${codeSpan(`${at.path}:${at.line}`, 200)}`;
    }
    case 'commit':
      return `commit ${codeSpan(what.slice(0, 7))}`;
    case 'hunk':
      return `the diff of ${codeSpan(what.slice(0, 7))}`;
    default:
      return OTHER_NAMES.get(id) ?? codeSpan(id, 60);
  }
}

/** A map, because a model writes the id: an object would know `valueOf`, too. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['run', 'the incident'],
  ['source', 'the source around the crash'],
]);
