import { spawn } from 'node:child_process';
import { neutralEnvironment } from '../config/child-env.js';

export interface ProgramRun {
  /** `null` if it was ended by a signal. */
  readonly exitCode: number | null;
  /** Why it could not be started; `null` if it was. */
  readonly failure: string | null;
  /** The last 256 KiB. */
  readonly stderr: string;
  readonly timedOut: boolean;
}

const KEPT_BYTES = 256 * 1024;

/**
 * Runs a program without a shell until it exits. Never rejects. `inherit`: passes on the whole environment.
 */
export function runProgram(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly timeoutMs?: number; readonly inherit?: boolean },
): Promise<ProgramRun> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      ...(options.inherit === true ? {} : { env: neutralEnvironment() }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let tail = Buffer.alloc(0);
    let timedOut = false;
    let failure: string | null = null;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, options.timeoutMs ?? 120_000);
    child.stderr.on('data', (chunk: Buffer) => {
      tail = Buffer.concat([tail, chunk]).subarray(-KEPT_BYTES);
    });
    child.on('error', (error) => {
      failure = error.message;
    });
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      resolve({ exitCode, failure, stderr: tail.toString('utf8'), timedOut });
    });
  });
}
