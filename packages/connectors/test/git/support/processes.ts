import { readFileSync } from 'node:fs';

export function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

/** An exception counts as false. */
export async function until(condition: () => boolean): Promise<void> {
  for (;;) {
    try {
      if (condition()) return;
    } catch {}
    await new Promise((resolve) => setImmediate(resolve));
  }
}
