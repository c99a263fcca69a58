import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { endOf } from './end-of.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** Far more than a busy machine needs. A run that hangs is stopped and reports its progress. */
const LONGEST_MS = 1_200_000;

/** Runs `bench/faults/<area>.mjs`, asserts that it succeeds and returns its JSON result. */
export async function faultRun(t: Test, area: string, flags: readonly string[]) {
  const child = spawn(process.execPath, [`bench/faults/${area}.mjs`, ...flags, '--json'], { cwd: ROOT });
  t.teardown(() => child.kill('SIGTERM'));
  const late = setTimeout(() => child.kill('SIGTERM'), LONGEST_MS);
  const { status, stdout, stderr } = await endOf(child);
  clearTimeout(late);
  t.equal(status, 0, `bench/faults/${area}.mjs ${flags.join(' ')}`, { stdout, stderr });
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  return JSON.parse(last.startsWith('{') ? last : '{}');
}
