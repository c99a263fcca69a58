import type { Run } from '@culprit/core';
import { type Comeback, comebacksOf } from '@culprit/core/internal/domain/comeback';
import { ago, exact } from '../format.js';
import { visible } from '../parts/text.js';
import { clock } from '../state/clock.js';

/** Why the run is back at Gate 1, with the error or the reviewer's reason. The story has the regressions. */
export function Comebacks({ run }: { readonly run: Run }) {
  const { state, last_error } = run;
  const refused = state === 'staged_raw' ? null : last_error;
  return (
    <>
      {comebacksOf(run).map((one) => (
        <Back key={one.code} comeback={one} />
      ))}
      {refused !== null && (
        <p class="callout" data-tone="red">
          <b>Publishing failed.</b> <span class="untrusted">{visible(refused.detail)}</span>
          {state === 'publishing' ? ' Culprit will retry.' : refused.retryable ? ' You can retry.' : ''}
        </p>
      )}
    </>
  );
}

function Back({ comeback }: { readonly comeback: Comeback }) {
  switch (comeback.code) {
    case 'regression':
      return null;
    case 'analysis_failed':
      return (
        <p class="callout" data-tone="red">
          <b>The analysis failed.</b> <span class="untrusted">{visible(comeback.error.detail)}</span>
          {comeback.error.retryable ? ' You can retry.' : ''}
        </p>
      );
    case 'returned':
      return (
        <div class="callout returned" data-tone="amber">
          <p>
            <b>
              Returned by <span class="untrusted">{visible(comeback.by)}</span>.
            </b>{' '}
            <time class="soft" dateTime={comeback.at} title={exact(comeback.at)}>
              {ago(comeback.at, clock.value)}
            </time>
          </p>
          <p class="said untrusted">{visible(comeback.reason)}</p>
        </div>
      );
  }
}
