import type { Place } from '../demo/own-repository.js';
import { usageError } from './exit-codes.js';

/** A flag's value `FILE:LINE`. */
export function readPlace(flag: string, text: string): Place {
  const found = /^(.+):(\d{1,7})$/.exec(text);
  if (found === null) throw usageError(`--${flag} must be FILE:LINE, such as src/cart.js:17.`);
  return { path: (found[1] ?? '').replaceAll('\\', '/').replace(/^\.\//, ''), line: Number(found[2]) };
}
