import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CulpritError } from '@culprit/core/connector';

export type ObjectFormat = 'sha1' | 'sha256';

/** Our own git directories, without refs and with an empty configuration. */
export interface NeutralDirectories {
  /** Its path. Created at first use, and again if something deleted it. */
  of(format: ObjectFormat): Promise<string>;
  remove(): Promise<void>;
}

const CONFIG: Readonly<Record<ObjectFormat, string>> = {
  sha1: '[core]\n\trepositoryFormatVersion = 0\n\tbare = true\n',
  sha256: '[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n',
};

export function createNeutralDirectories(): NeutralDirectories {
  const made = new Map<ObjectFormat, Promise<string>>();
  return {
    of: async (format) => {
      const known = made.get(format);
      if (known && (await isThere(known))) return known;
      // Another call may have created it meanwhile.
      const current = made.get(format);
      if (current && current !== known) return current;
      const fresh = make(format);
      made.set(format, fresh);
      return fresh;
    },
    remove: async () => {
      const all = await Promise.allSettled(made.values());
      made.clear();
      for (const one of all) {
        if (one.status === 'fulfilled') await rm(one.value, { recursive: true, force: true });
      }
    },
  };
}

async function isThere(directory: Promise<string>): Promise<boolean> {
  try {
    const path = await directory;
    await Promise.all([access(join(path, 'HEAD')), access(join(path, 'config')), access(join(path, 'refs'))]);
    return true;
  } catch {
    return false;
  }
}

async function make(format: ObjectFormat): Promise<string> {
  try {
    const path = await mkdtemp(join(tmpdir(), 'culprit-git-'));
    await mkdir(join(path, 'refs'));
    await mkdir(join(path, 'objects'));
    await writeFile(join(path, 'config'), CONFIG[format]);
    await writeFile(join(path, 'HEAD'), 'ref: refs/heads/none\n');
    return path;
  } catch (error) {
    throw new CulpritError(
      'code_host_unavailable',
      `No folder could be created in ${tmpdir()}. The git connector needs a few bytes there.`,
      { cause: error },
    );
  }
}
