import { spawnSync } from 'node:child_process';

/** Process id of the supervised server, or `null` while it is down. @param {'edge' | 'core'} name */
export function childOf(supervisor, name) {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  for (const line of stdout.split('\n')) {
    const [, pid, ppid, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    if (Number(ppid) === supervisor && new RegExp(`culprit\\.js ${name}\\b`).test(args)) return Number(pid);
  }
  return null;
}

/** Sends SIGKILL if the process exists. */
export function killHard(pid) {
  if (pid === null) return false;
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
