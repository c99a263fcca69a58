import { signal } from '@preact/signals';

/** The run whose explanation is being compared with the model's; `null`: the dialog is closed. */
export const comparing = signal<string | null>(null);
