import { EDGE_LIMIT_SETTINGS, type EdgeLimitName } from '../config/edge-limits.js';

/** Every limit of the edge, read for each request: an operator may change them while it runs. */
export type EdgeLimits = Record<EdgeLimitName, number>;

export const EDGE_LIMITS = Object.fromEntries(
  Object.entries(EDGE_LIMIT_SETTINGS).map(([name, { default: value }]) => [name, value]),
) as Readonly<EdgeLimits>;

/** What a limit may be raised to. */
export const highest = (name: string): number =>
  EDGE_LIMIT_SETTINGS[name as EdgeLimitName]?.max ?? Number.MAX_SAFE_INTEGER;
