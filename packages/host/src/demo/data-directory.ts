import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const PREFIX = 'culprit-demo-';
/** Process id of the demo that uses the folder. */
const OWNER = 'demo.pid';
const OLD_MS = 24 * 60 * 60_000;

/** The demo's folder: the one that was asked for, or a temporary one. */
export interface DataDirectory {
  readonly path: string;
  readonly temporary: boolean;
}

export function makeDataDirectory(asked: string | null): DataDirectory {
  if (asked !== null) {
    mkdirSync(resolve(asked), { recursive: true });
    return { path: realpathSync(resolve(asked)), temporary: false };
  }
  removeOld(tmpdir(), Date.now());
  const path = realpathSync(mkdtempSync(join(tmpdir(), PREFIX)));
  writeFileSync(join(path, OWNER), String(process.pid));
  return { path, temporary: true };
}

/** Removes this user's temporary folders of demos that ended and are older than a day. */
export function removeOld(parent: string, now: number): void {
  for (const name of readdirSync(parent)) {
    if (!/^culprit-demo-[A-Za-z0-9]{6}$/.test(name)) continue;
    const folder = join(parent, name);
    try {
      const { uid, mtimeMs, isFolder } = factsOf(folder);
      if (isFolder && uid === process.getuid?.() && now - mtimeMs > OLD_MS && !isInUse(folder))
        rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another demo may be removing it.
    }
  }
}

/** Of the folder itself: a link in a shared directory may be anyone's. */
function factsOf(folder: string) {
  const facts = lstatSync(folder);
  return { uid: facts.uid, mtimeMs: facts.mtimeMs, isFolder: facts.isDirectory() };
}

function isInUse(folder: string): boolean {
  try {
    const pid = Number(readFileSync(join(folder, OWNER), 'utf8'));
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}
