import type { Draft } from '@culprit/core/connector';
import { draftDifference } from '@culprit/core/internal/pipeline/draft-difference';
import { Scroller } from '../parts/scroller.js';
import { Text } from '../parts/text.js';
import type { Detail } from '../state/run.js';
import { Checks } from './checklist.js';
import { Difference, Preview } from './draft-views.js';

interface SignReviewProps {
  readonly detail: Detail;
  readonly draft: Draft;
  /** The draft that the reviewer tried to sign, if another reviewer had changed it by then. */
  readonly before: Draft | null;
}

/** What the reviewer is about to sign: after a conflict the changes, then the issue, and the checks. */
export function SignReview({ detail: { run, stack }, draft, before }: SignReviewProps) {
  return (
    <>
      <div class="sign-review">
        <Scroller class="paper-body" label="Text to publish">
          {before !== null && (
            <section class="callout" data-tone="amber" aria-label="Changes since your review">
              <p>
                <Text as="b" of={draft.edited_by ?? 'Culprit'} /> changed the draft since you reviewed it:
              </p>
              <Difference difference={draftDifference(before, draft)} />
            </section>
          )}
          <h3 class="sr">{draft.reopens === undefined ? 'Issue' : 'Comment'}</h3>
          <Preview run={run} draft={draft} edit={null} />
        </Scroller>
        <Checks run={run} draft={draft} stack={stack} />
      </div>
      <p class="soft">
        {draft.reopens === undefined
          ? 'This creates one issue.'
          : `This adds one comment to issue #${draft.reopens.number} and ${draft.reopens.only_comment ? 'leaves it closed' : 'reopens it'}.`}{' '}
        You cannot undo it here. You are signing <code title={draft.digest}>{draft.digest.slice(0, 16)}</code>
        ; if the draft has changed, nothing is published.
      </p>
    </>
  );
}
