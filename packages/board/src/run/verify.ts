import { signal } from '@preact/signals';
import { isOpen, shown } from '../state/run.js';

/** The run whose issue is being compared with its evidence; `null`: the dialog is closed. */
export const verifying = signal<string | null>(null);

/** Compares the issue of the published run on the screen with its evidence. It only reads. */
export function askVerify(): boolean {
  const run = shown.value?.run;
  if (run?.state !== 'published' || !isOpen(run.run_id)) return false;
  verifying.value = run.run_id;
  return true;
}
