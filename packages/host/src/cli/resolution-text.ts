import type { Run } from '@culprit/core';
import {
  effectText,
  type LinkBack,
  linkBackText,
  resolutionText,
} from '@culprit/core/internal/domain/resolution';
import { clipped } from './print.js';

/** `Marked as fixed by ada: adds a comment to the issue (pending)`. Call it for a run with a resolution. */
export function resolutionLine(run: Run): string {
  const { resolution } = run;
  if (!resolution) return '';
  const by = resolution.by === null ? '' : ` by ${clipped(resolution.by, 60)}`;
  return `${resolutionText(resolution)}${by}${followUpWords(run)}`;
}

/** The comment on the earlier issue, and how far it is. */
export function linkBackWords(link: LinkBack): string {
  const { error } = link.change ?? {};
  return `${clipped(linkBackText(link), 200)}${error ? ` (${clipped(error.detail, 200)})` : ''}`;
}

/** What the decision does to the issue, and how far it is; empty if it does nothing. */
export function followUpWords({ follow_up }: Run): string {
  const effect = follow_up && effectText(follow_up);
  if (!follow_up || effect === null) return '';
  const { state, error } = follow_up;
  const why = error === null || error === undefined ? '' : `: ${clipped(error.detail, 200)}`;
  return `; ${effect} (${state}${why})`;
}
