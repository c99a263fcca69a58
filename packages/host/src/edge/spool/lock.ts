import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CulpritError } from '@culprit/core';

/**
 * Keeps two edges from writing one spool. The lock names its process and when that began, so one that a killed edge
 * left behind is taken over at once, even where process ids come round again quickly (containers).
 */
export async function lockSpool(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, 'lock');
  const own = `${process.pid} ${startOf(process.pid) ?? ''}`.trim();
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      await writeFile(path, own, { flag: 'wx', mode: 0o600 });
      return () => rm(path, { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const holder = await readFile(path, 'utf8').catch(() => '');
    if (isAlive(holder, own)) break;
    await rm(path, { force: true });
  }
  const fix = 'Stop it, or give this edge a data directory of its own.';
  throw new CulpritError('configuration', `Another edge uses the spool ${directory}. ${fix}`);
}

function isAlive(holder: string, own: string): boolean {
  const [pid = '', start] = holder.split(' ');
  if (!/^\d+$/.test(pid) || (Number(pid) === process.pid && holder !== own)) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const startNow = startOf(Number(pid));
  return start === undefined || startNow === null || start === startNow;
}

/** Clock ticks from boot to the process's start, where the system tells. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
