import type { ComponentChildren } from 'preact';
import { plural } from '../../format.js';
import { Check } from '../../parts/check.js';
import { visible } from '../../parts/text.js';
import type { PairedFiles } from './pair-files.js';

/** Names that are listed; of the rest only the number. */
const LISTED = 20;

/** What will be sent, and what is left out and why. */
export function PairedList({ files: { scripts, skipped, others } }: { readonly files: PairedFiles }) {
  const taken = scripts.map(({ name, debug_id }) => ({
    name,
    why: debug_id === null ? 'by release' : `by release and debug id ${debug_id}`,
  }));
  return (
    <div class="paired" role="status">
      <p>
        <b>
          {scripts.length === 0
            ? 'No built file with a source map. Build with source maps first.'
            : `${plural(scripts.length, 'built file')} with a source map.`}
        </b>
      </p>
      <Names of={taken} ok />
      {skipped.length > 0 && <p>{plural(skipped.length, 'built file')} left out:</p>}
      <Names of={skipped} ok={false} />
      {others > 0 && (
        <p class="soft">
          {plural(others, 'other file')} left out: no built JavaScript, or without a source map.
        </p>
      )}
    </div>
  );
}

interface NamesProps {
  readonly of: PairedFiles['skipped'];
  readonly ok: boolean;
}

function Names({ of, ok }: NamesProps): ComponentChildren {
  if (of.length === 0) return null;
  return (
    <>
      <ul class="checks">
        {of.slice(0, LISTED).map(({ name, why }) => (
          <Check key={name} ok={ok} name={visible(name)}>
            {visible(why)}
          </Check>
        ))}
      </ul>
      {of.length > LISTED && <p class="soft">and {of.length - LISTED} more</p>}
    </>
  );
}
