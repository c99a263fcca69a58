import { isCulpritError } from '@culprit/core';
import type { DriverChoice, HttpDriver } from './driver.js';
import { nodeDriver } from './node-driver.js';
import { uwsDriver } from './uws-driver.js';
import { loadUws, reasonOf } from './uws-load.js';

export interface ChosenDriver {
  readonly driver: HttpDriver;
  /** Why uWebSockets.js cannot be loaded, if it was wanted. */
  readonly missing: string | null;
}

/** Rejects with `configuration` for `uws` where it cannot be loaded. */
export async function chooseDriver(choice: DriverChoice = 'auto'): Promise<ChosenDriver> {
  if (choice === 'node') return { driver: nodeDriver, missing: null };
  try {
    return { driver: uwsDriver(await loadUws()), missing: null };
  } catch (error) {
    if (choice === 'uws' || !isCulpritError(error, 'configuration')) throw error;
    return { driver: nodeDriver, missing: reasonOf(error.cause) };
  }
}

/** What the slower server costs, measured with `npm run bench -- edge`. */
const COST = 'The edge then needs about a tenth more processor time for each crash.';

/** What serves HTTP, and if it is not the faster server, why and what that costs. */
export function servedBy({ driver, missing }: ChosenDriver): string {
  if (driver.name === 'uws') return 'uWebSockets.js';
  const why = missing === null ? 'HTTP_DRIVER selects it' : `uWebSockets.js cannot be loaded: ${missing}`;
  return `node:http, because ${why}. ${COST}`;
}
