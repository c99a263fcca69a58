import type { PlacedStack, Run } from '@culprit/core';
import { visible } from '../parts/text.js';

/** A short name of a piece of evidence: `cart.js:11`, `diff 1f2e3d4`. */
export function evidenceWords(evidence: string, run: Run, stack: PlacedStack | null): string {
  const [kind = '', value = ''] = evidence.split(':');
  if (kind === 'frame') {
    const placed = stack?.frames.find(({ frame }) => frame === Number(value));
    const path = placed?.path.split('/').at(-1);
    return placed === undefined ? `frame ${Number(value) + 1}` : visible(`${path}:${placed.line}`);
  }
  if (kind === 'hunk') return `diff ${value.slice(0, 7)}`;
  if (kind === 'commit') return value.slice(0, 7);
  if (kind === 'exception') return visible(run.event.exceptions[Number(value)]?.type ?? 'the error');
  return 'incident';
}
