import { CulpritError } from '@culprit/core';
import { isFree } from '../cli/free-port.js';

const HOST = '127.0.0.1';

/** The requested port, otherwise the default one, or 0 (any free port) if that is in use (`moved`). */
export async function choosePort(
  asked: number | null,
  usual: number,
): Promise<{ readonly port: number; readonly moved: boolean }> {
  const wanted = asked ?? usual;
  if (wanted === 0) return { port: 0, moved: false };
  if (await isFree(wanted, HOST)) return { port: wanted, moved: false };
  if (asked !== null) {
    throw new CulpritError(
      'configuration',
      `Port ${asked} is already in use. Choose another one, or 0 for any free port.`,
    );
  }
  return { port: 0, moved: true };
}
