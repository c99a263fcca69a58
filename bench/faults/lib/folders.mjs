import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder outside the repository, which ends with the test. */
export function temporaryFolder(t, name) {
  const folder = mkdtempSync(join(tmpdir(), `culprit-${name}-`));
  t.teardown(() => removeFolder(folder));
  return folder;
}

/**
 * Removes a folder, also while a program that has just been killed still writes there. `rmSync` cannot: in Node 20 its
 * `maxRetries` repeats only the last `rmdir`, which fails as long as there is a new file.
 */
export function removeFolder(folder) {
  return rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}
