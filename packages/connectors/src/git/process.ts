import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';

export const STDERR_BYTES = 8_192;

/** Serialisable, so that it can be sent to another process. */
export interface ProcessSpec {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Standard input. */
  readonly input: string;
  /** Limit of standard output. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /**
   * Present: a question to a process that stays open. `input` makes it answer, and the answer ends with this text, which
   * is not part of the output. An answer counts as `exited` with code 0.
   */
  readonly answerEnds?: string;
  /** True: at the lowest priority. */
  readonly background?: boolean;
}

/** `cut`: the output exceeded its limit and is truncated there. `late`: killed after `timeoutMs`. */
export type ProcessEnd =
  | { readonly kind: 'exited'; readonly code: number; readonly stdout: Uint8Array; readonly stderr: string }
  | { readonly kind: 'cut'; readonly stdout: Uint8Array }
  | { readonly kind: 'late' }
  | { readonly kind: 'not_started'; readonly code: string | undefined; readonly message: string };

export interface StartedProcess {
  /** Never rejects; after `kill` it may never settle. */
  readonly ended: Promise<ProcessEnd>;
  /** Kills the process and everything it started. */
  kill(): void;
}

/** Runs one process without a shell and buffers its output. Kills it if it is too slow or writes too much. */
export function startProcess(spec: ProcessSpec): StartedProcess {
  let child: ChildProcessWithoutNullStreams;
  try {
    child = spawn(spec.file, [...spec.args], {
      cwd: spec.cwd,
      env: { ...spec.env },
      stdio: 'pipe',
      detached: true,
      windowsHide: true,
    });
  } catch (error) {
    return { ended: Promise.resolve(notStarted(error as NodeJS.ErrnoException)), kill: () => {} };
  }
  if (spec.background && child.pid !== undefined) lowerPriority(child.pid);
  let timer: NodeJS.Timeout | undefined;
  const kill = () => {
    clearTimeout(timer);
    killGroup(child);
  };
  const ended = new Promise<ProcessEnd>((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let stderr = '';
    const settle = (end: ProcessEnd) => {
      clearTimeout(timer);
      resolve(end);
    };
    timer = setTimeout(() => {
      settle({ kind: 'late' });
      kill();
    }, spec.timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => {
      if (bytes + chunk.length > spec.maxBytes) {
        chunks.push(chunk.subarray(0, spec.maxBytes - bytes));
        bytes = spec.maxBytes;
        settle({ kind: 'cut', stdout: Buffer.concat(chunks) });
        return kill();
      }
      bytes += chunk.length;
      chunks.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < STDERR_BYTES) stderr += text.slice(0, STDERR_BYTES - stderr.length);
    });
    child.stdin.on('error', () => {}).end(spec.input);
    child.on('error', (error) => settle(notStarted(error)));
    child.on('close', (code) =>
      settle({ kind: 'exited', code: code ?? -1, stdout: Buffer.concat(chunks), stderr }),
    );
  });
  return { ended, kill };
}

export function notStarted({ code, message }: NodeJS.ErrnoException): ProcessEnd {
  return { kind: 'not_started', code, message };
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended, or the system does not allow it.
  }
}

/** The process leads its own group, so everything it started is killed with it. */
export function killGroup(child: ChildProcessWithoutNullStreams): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
  child.stdin.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
}
