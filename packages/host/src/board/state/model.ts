import type { ModelStatus } from '@culprit/client';
import { signal } from '@preact/signals';
import { api } from '../api.js';

/** The configured model; `null`: there is none, or it is not known yet. */
export const model = signal<ModelStatus | null>(null);

let hasAsked = false;

/** Asks core once for its model. Without an answer, nothing offers to ask the model. */
export function learnModel(): void {
  if (hasAsked) return;
  hasAsked = true;
  readModel().catch(() => {
    hasAsked = false;
  });
}

/** Resolves with the model's status of now; `null` if there is none. */
export async function readModel(): Promise<ModelStatus | null> {
  const known = await api.model();
  model.value = known;
  return known;
}
