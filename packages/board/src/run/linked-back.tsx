import type { Run } from '@culprit/core';
import { linkBackText } from '@culprit/core/internal/domain/resolution';
import { Out, visible } from '../parts/text.js';

/** The comment that links a regression's new issue from the earlier one. */
export function LinkedBack({ run: { link_back } }: { readonly run: Run }) {
  if (!link_back?.change) return null;
  const { comment_url, error } = link_back.change;
  const text = visible(linkBackText(link_back).replace(/^a/, 'A'));
  return (
    <span class="untrusted">
      {' '}
      {comment_url === null ? text : <Out to={comment_url}>{text}</Out>}.
      {error && ` ${visible(error.detail)}`}
    </span>
  );
}
