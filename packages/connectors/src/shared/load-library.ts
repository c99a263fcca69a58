import { CulpritError } from '@culprit/core/connector';

/** Loads a vendor library at first use, so that an unused connector costs nothing. `user` needs it. */
export async function loadLibrary<T>(user: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new CulpritError('connector_missing', `${user} needs ${name}: npm install ${name}`, { cause });
  }
}
