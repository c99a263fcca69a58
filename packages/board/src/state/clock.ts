import { signal } from '@preact/signals';

const EVERY_MS = 5_000;

/** The current time in ms since 1970, updated so that `now` becomes `5 s ago`. */
export const clock = signal(Date.now());
window.setInterval(() => {
  clock.value = Date.now();
}, EVERY_MS);
