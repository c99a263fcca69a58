import type { Event } from '@culprit/core';
import { plural } from '../format.js';

const MARK = /\[redacted:([a-z0-9_-]{1,40})\]/g;

/** How many values of an event each rule redacted, the most first. */
export function redactionsOf(event: Event): readonly (readonly [rule: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const [, rule = ''] of JSON.stringify(event).matchAll(MARK))
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return [...counts].sort(([a, most], [b, least]) => least - most || (a < b ? -1 : 1));
}

/** What was redacted from an event before it was stored. Nothing without any. */
export function Redactions({ event }: { readonly event: Event }) {
  const rules = redactionsOf(event);
  if (rules.length === 0) return null;
  const all = rules.reduce((sum, [, count]) => sum + count, 0);
  return (
    <section class="part" aria-labelledby="redactions">
      <h3 id="redactions" tabIndex={-1}>
        Redacted <span class="soft">{plural(all, 'value')}, before anything was stored</span>
      </h3>
      <p class="labels">
        {rules.map(([rule, count]) => (
          <span key={rule} class="pill">
            {rule} <span class="num">{count}</span>
          </span>
        ))}
      </p>
    </section>
  );
}
