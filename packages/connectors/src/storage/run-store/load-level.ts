import { CulpritError } from '@culprit/core/connector';

/** A native library, loaded only when a file store is opened. */
export async function loadLevel(): Promise<typeof import('classic-level')> {
  try {
    return await import('classic-level');
  } catch (cause) {
    const fix = 'npm install classic-level, without --omit=optional, on a supported platform';
    throw new CulpritError('connector_missing', `File storage needs classic-level: ${fix}`, { cause });
  }
}
