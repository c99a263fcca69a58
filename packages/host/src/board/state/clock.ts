import { signal } from '@preact/signals';

const EVERY_MS = 5_000;

/** Milliseconds since 1970, now and then: what was `now` becomes `5 s ago` by itself. */
export const clock = signal(Date.now());
window.setInterval(() => {
  clock.value = Date.now();
}, EVERY_MS);
