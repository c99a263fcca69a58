import type { PlacedStack, Run } from '@culprit/core';
import type { Citation } from '@culprit/core/internal/domain/explanation';
import { Part } from '../parts/part.js';
import { Text, Ticked, visible } from '../parts/text.js';
import { lit, showEvidence } from './stack-state.js';

interface ExplanationProps {
  readonly run: Run;
  readonly stack: PlacedStack | null;
}

/** Claims with their citations. Core drops claims without one. */
export function ExplanationSection({ run, stack }: ExplanationProps) {
  const { explanation } = run;
  if (explanation === null) return null;
  const { source, model, claims, insufficient, note } = explanation;
  if (claims.length === 0) {
    return (
      <Part id="explanation" title="No explanation" class="one-line">
        <Text as="p" of={note ?? 'The evidence does not support one.'} />
      </Part>
    );
  }
  return (
    <Part
      id="explanation"
      title="Explanation"
      note={source === 'model' ? `by ${model ?? 'a model'}` : 'from a template, without a model'}
    >
      {insufficient && <p class="callout">The evidence does not support an explanation.</p>}
      {note !== null && <Text as="p" of={note} class="soft" />}
      <ol class="claims">
        {claims.map(({ text, cites }) => (
          <li key={text}>
            <span class={source === 'model' ? 'claim untrusted by-model' : 'claim untrusted'}>
              {source === 'template' ? <Ticked text={text} /> : visible(text)}
            </span>{' '}
            {byEvidence(cites).map(([evidence, quotes]) => (
              <Chip key={evidence} evidence={evidence} quotes={quotes} run={run} stack={stack} />
            ))}
          </li>
        ))}
      </ol>
    </Part>
  );
}

/** One chip per frame or hunk, with all its quotes. */
function byEvidence(cites: readonly Citation[]): readonly (readonly [string, readonly string[]])[] {
  const quotes = new Map<string, string[]>();
  for (const { evidence, quote } of cites) quotes.set(evidence, [...(quotes.get(evidence) ?? []), quote]);
  return [...quotes];
}

interface ChipProps extends ExplanationProps {
  readonly evidence: string;
  readonly quotes: readonly string[];
}

/** Highlights the cited frame or hunk; a click goes there. */
function Chip({ evidence, quotes, run, stack }: ChipProps) {
  const quoted = quotes.map(visible).join('\n');
  const on = () => {
    lit.value = evidence;
  };
  const off = () => {
    if (lit.value === evidence) lit.value = null;
  };
  return (
    <button
      type="button"
      class="chip"
      title={quoted}
      onMouseEnter={on}
      onMouseLeave={off}
      onFocus={on}
      onBlur={off}
      onClick={() => showEvidence(evidence)}
    >
      {evidenceWords(evidence, run, stack)}
      <span class="sr">: {quoted}</span>
    </button>
  );
}

/** A short name of a piece of evidence: `cart.js:11`, `diff 1f2e3d4`. */
function evidenceWords(evidence: string, run: Run, stack: PlacedStack | null): string {
  const [kind = '', value = ''] = evidence.split(':');
  if (kind === 'frame') {
    const placed = stack?.frames.find(({ frame }) => frame === Number(value));
    const path = placed?.path.split('/').at(-1);
    return placed === undefined ? `frame ${Number(value) + 1}` : visible(`${path}:${placed.line}`);
  }
  if (kind === 'hunk') return `diff ${value.slice(0, 7)}`;
  if (kind === 'commit') return value.slice(0, 7);
  if (kind === 'exception') return visible(run.event.exceptions[Number(value)]?.type ?? 'the error');
  return 'incident';
}
