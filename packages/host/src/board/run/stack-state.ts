import { signal } from '@preact/signals';

/** Ids of evidence that a citation points at now: `frame:3`, `hunk:<sha>`. */
export const lit = signal<string | null>(null);
/** Frames that the reader unfolded or folded by hand, by run and place. */
export const folding = signal<ReadonlyMap<string, boolean>>(new Map());
/** All of them, whatever was done by hand; `null`: as it is best. */
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

/** Where a piece of evidence is drawn; several may say the same. */
export function evidenceId(evidence: string): string {
  return `evidence-${evidence.replace(/[^\w-]/g, '-')}`;
}

/** Lights up what a citation rests on, and brings it into view. */
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
