import { nullIfNotFound } from '@culprit/client';
import type { Run } from '@culprit/core';
import type { Outlook } from '@culprit/core/internal/pipeline/evidence/placed-frames';
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import { Part } from '../parts/part.js';
import { Text } from '../parts/text.js';
import { useAsked } from '../parts/use-asked.js';
import { Gaps, Remedy } from './gaps.js';

/** Of the run that is shown, at Gate 1. */
export const outlook = signal<Outlook | null>(null);

/** What stands in the way of a suspect, before anybody approves Gate 1. */
export function OutlookSection({ run }: { readonly run: Run }) {
  const stack = useAsked(
    () => api.getStack({ run_id: run.run_id }).catch(nullIfNotFound),
    `${run.run_id} ${run.version}`,
  );
  const found = stack?.outlook ?? null;
  useEffect(() => {
    outlook.value = found;
    return () => {
      outlook.value = null;
    };
  }, [found]);
  if (found === null) return null;
  const { no_suspect, gaps } = found;
  const atTheStack = no_suspect?.code === 'no_mapped_frame' && stack?.missing_source_maps !== undefined;
  return (
    <Part id="outlook" title={no_suspect === null ? 'Before you approve' : 'No suspect can be found'}>
      {no_suspect !== null && (
        <div class="callout" data-tone="amber">
          {atTheStack ? (
            <p>The crash is in built code, and its source map is missing. The stack below has the command.</p>
          ) : (
            <>
              <Text as="p" of={no_suspect.detail} />
              <Remedy none={no_suspect} />
            </>
          )}
        </div>
      )}
      <Gaps gaps={gaps} />
    </Part>
  );
}
