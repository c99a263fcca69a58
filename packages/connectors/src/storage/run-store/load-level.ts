import { CulpritError } from '@culprit/core';

/** A native library: loaded when a file store is opened, so that memory needs none and its absence is told. */
export async function loadLevel(): Promise<typeof import('classic-level')> {
  try {
    return await import('classic-level');
  } catch (cause) {
    const fix = 'npm install classic-level, without --omit=optional, on a platform that it has a build for';
    throw new CulpritError('connector_missing', `Storage in files needs classic-level: ${fix}`, { cause });
  }
}
