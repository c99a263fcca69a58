import { CulpritError } from '@culprit/core';
import { EDGE_LIMITS, type EdgeLimits, highest } from '../edge/limits.js';
import { unknownKey } from './sources.js';

/** The file's `limits`: any guard of the edge by name, a whole number above 0 and not over what core takes. */
export function readLimits(value: unknown): Readonly<Partial<EdgeLimits>> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CulpritError('configuration', 'limits must be an object of numbers.', { path: 'limits' });
  }
  const known = Object.keys(EDGE_LIMITS);
  for (const [name, limit] of Object.entries(value)) {
    if (!known.includes(name)) throw unknownKey(`limits.${name} is not a limit`, name, known);
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > highest(name)) {
      const most = highest(name) === Number.MAX_SAFE_INTEGER ? '' : `, at most ${highest(name)}`;
      throw new CulpritError('configuration', `limits.${name} must be a whole number above 0${most}.`, {
        path: `limits.${name}`,
      });
    }
  }
  return value as Partial<EdgeLimits>;
}
