import { signal } from '@preact/signals';

/** The evidence ID that is highlighted: `frame:3`, `hunk:<sha>`. */
export const lit = signal<string | null>(null);
/** Frames that the reader has expanded or collapsed, by key. */
export const folding = signal<ReadonlyMap<string, boolean>>(new Map());
/** True: frames are shown as built, not as uploaded source maps give them. */
export const minified = signal(false);
/** Overrides all frames; `null` for the default. */
export const allFrames = signal<boolean | null>(null);

export function openFrames(): boolean {
  if (document.getElementById('crash') === null) return false;
  allFrames.value = allFrames.value !== true;
  folding.value = new Map();
  return true;
}

export function fold(key: string, open: boolean): void {
  folding.value = new Map(folding.value).set(key, open);
}

/** The DOM ID of a piece of evidence. */
export function evidenceId(evidence: string): string {
  return `evidence-${evidence.replace(/[^\w-]/g, '-')}`;
}

/** Highlights a piece of evidence and scrolls to it. */
export function showEvidence(evidence: string): void {
  lit.value = evidence;
  const [kind, value = ''] = evidence.split(':');
  if (kind === 'frame') fold(`frame-${value}`, true);
  requestAnimationFrame(() => {
    const element =
      document.getElementById(evidenceId(evidence)) ??
      document.getElementById({ exception: 'crash', run: 'run-title' }[kind ?? ''] ?? 'suspects');
    if (element instanceof HTMLDetailsElement) element.open = true;
    element?.scrollIntoView({ block: 'center' });
    element?.focus({ preventScroll: true });
  });
}
