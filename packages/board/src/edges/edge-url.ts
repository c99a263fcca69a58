import { textOf } from '@culprit/core/internal/domain/edge-figures';
import { guards } from '../state/feed.js';

/** The URL that the edge reports, otherwise the default. An edge that listens on every address is reached by the board's host. */
export function edgeUrl(): string {
  const reported = textOf(guards.value[0]?.figures.url);
  if (reported === null || !/^https?:\/\/[\w.:[\]-]+$/.test(reported))
    return `${location.protocol}//${location.hostname}:8001`;
  return reported.replace(/\/\/(?:0\.0\.0\.0|\[::\])/, `//${location.hostname}`);
}
