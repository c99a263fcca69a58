import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CulpritError } from '@culprit/core';

/**
 * Prevents two edges from writing to one spool. The lock names its process and the process's start time, so the lock
 * of a killed edge is taken over at once, even if its process id is reused (containers).
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
  const fix = 'Stop it, or use another data directory.';
  throw new CulpritError('configuration', `Another edge is using the spool ${directory}. ${fix}`);
}

function isAlive(holder: string, own: string): boolean {
  const [pid = '', start] = holder.split(' ');
  if (!/^\d+$/.test(pid) || (Number(pid) === process.pid && holder !== own)) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const [state, startNow] = [fieldOf(Number(pid), STATE), startOf(Number(pid))];
  // A zombie: killed, but not reaped by its parent, as in a container whose init process does not reap.
  if (state === 'Z' || state === 'X') return false;
  return start === undefined || startNow === null || start === startNow;
}

/** Fields of /proc/PID/stat after the command's name; see proc(5). */
const STATE = 0;
const START_TIME = 19;

/** Clock ticks from boot to the start of the process, if the system reports them. */
function startOf(pid: number): string | null {
  return fieldOf(pid, START_TIME);
}

function fieldOf(pid: number, field: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[field] ?? null;
  } catch {
    return null;
  }
}
