import { readFileSync } from 'node:fs';

/** The published figures, which the reference page is generated from and the tests assert. */
export const figures = JSON.parse(
  readFileSync(new URL('../../test/support/sanitise-figures.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, number>>;
