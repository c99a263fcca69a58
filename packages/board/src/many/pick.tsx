import type { RunSummary } from '@culprit/core';
import { visible } from '../parts/text.js';
import { isSelected, selectTo, toggle } from './selection.js';

/** The checkbox of a row. With Shift it selects the range from the last one. */
export function Pick({ run }: { readonly run: RunSummary }) {
  return (
    <label class="pick">
      <input
        type="checkbox"
        checked={isSelected(run.run_id)}
        aria-label={`Select ${visible(run.title)}`}
        onClick={(event) => {
          if (event.shiftKey) selectTo(run.run_id);
          else toggle(run.run_id);
        }}
      />
    </label>
  );
}
