import type { RunStatistics } from '@culprit/core';
import type { TagCount } from '@culprit/core/internal/domain/run-statistics';
import { useSignal } from '@preact/signals';
import { percent, plural, whole } from '../format.js';
import { Marked } from '../parts/marked.js';
import { ShowRest } from '../parts/show-rest.js';
import { visible } from '../parts/text.js';

/** Tags, and values of each, that are shown at first. */
const TAGS = 8;
const VALUES = 4;

/** How the values of each tag are distributed over the crashes. */
export function TagShares({ tags }: Pick<RunStatistics, 'tags'>) {
  const all = useSignal(false);
  if (tags.length === 0) return null;
  const hidden = all.value ? 0 : Math.max(0, tags.length - TAGS);
  return (
    <>
      <ul class="tag-shares" aria-label="Tags">
        {byInterest(tags)
          .slice(0, tags.length - hidden)
          .map((tag) => (
            <Tag key={tag.name} tag={tag} />
          ))}
      </ul>
      {hidden > 0 && <ShowRest all={all} what={plural(hidden, 'more tag')} />}
    </>
  );
}

/** Those with several values first: they can tell crashes apart. */
function byInterest(tags: readonly TagCount[]): readonly TagCount[] {
  return [...tags].sort((a, b) => Number(b.values.length > 1) - Number(a.values.length > 1));
}

function Tag({ tag }: { readonly tag: TagCount }) {
  const { name, values, occurrences } = tag;
  const rest = tag.other + values.slice(VALUES).reduce((sum, one) => sum + one.occurrences, 0);
  const rows = [
    ...values.slice(0, VALUES).map((one) => ({ ...one, known: true })),
    ...(rest > 0 ? [{ value: 'other values', occurrences: rest, known: false }] : []),
  ];
  return (
    <li>
      <h4 class="untrusted">{visible(name)}</h4>
      <ol>
        {rows.map(({ value, occurrences: count, known }) => (
          <li key={value} title={`${whole(count)} of ${plural(occurrences, 'crash', 'crashes')}`}>
            <span class="fill" style={{ width: `${(100 * count) / occurrences}%` }} />
            <span class={known ? 'value untrusted' : 'value soft'}>
              {known ? <Marked text={value} /> : value}
            </span>
            <span class="num">{percent(count / occurrences)}</span>
          </li>
        ))}
      </ol>
    </li>
  );
}
