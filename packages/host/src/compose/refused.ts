import { CulpritError } from '@culprit/core';
import type { Config } from '../config/config.js';
import { isReadable } from '../config/network.js';
import { variableOf } from '../config/setting.js';

/** A combination of settings that is refused before anything starts. `detail` is a sentence. */
export function refused(path: keyof Config & string, detail: string): CulpritError {
  return new CulpritError('configuration', detail, { path });
}

/** Refuses to send what others could read on the way. `why`: ends "must start with https:// …". */
export function demandPrivate(
  { allowPlaintext }: Config,
  key: keyof Config & string,
  url: string,
  why: string,
): void {
  if (allowPlaintext || !isReadable(url)) return;
  throw refused(key, `${variableOf(key)} must start with https:// ${why}; ALLOW_PLAINTEXT=1 overrides this.`);
}
