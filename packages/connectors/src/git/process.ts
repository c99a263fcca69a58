import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { availableParallelism, constants, setPriority } from 'node:os';

const STDERR_BYTES = 8_192;
/** Processes of one command in one repository that stay open. */
const MAX_ALIKE = Math.min(4, Math.max(2, availableParallelism()));
/** Processes that stay open in all, idle ones included. */
const MAX_OPEN = 16;
/** An idle process ends after this time. */
const IDLE_MS = 30_000;

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

/** `cut`: the output exceeded its limit and is truncated there. `late`: killed after `timeoutMs`; what it had printed. */
export type ProcessEnd =
  | { readonly kind: 'exited'; readonly code: number; readonly stdout: Uint8Array; readonly stderr: string }
  | { readonly kind: 'cut'; readonly stdout: Uint8Array }
  | { readonly kind: 'late'; readonly stdout: Uint8Array }
  | { readonly kind: 'not_started'; readonly code: string | undefined; readonly message: string };

export interface StartedProcess {
  /** Never rejects; after `kill` it may never settle. */
  readonly ended: Promise<ProcessEnd>;
  /** Kills the process and everything it started. */
  kill(): void;
}

/**
 * Runs commands without a shell, and buffers what they print. A command whose answers have an end is asked in a process that stays
 * open, because starting git costs more than most answers; any other one has a process of its own.
 */
export interface Processes {
  start(spec: ProcessSpec): StartedProcess;
  /** Ends the processes that stay open. Their questions never settle. */
  close(): void;
}

interface Job {
  readonly spec: ProcessSpec;
  /** Of the processes that can take it; `null`: only its own. */
  readonly key: string | null;
  readonly settle: (end: ProcessEnd) => void;
  /** Its first process was killed by somebody else. */
  repeated: boolean;
}

interface Running {
  readonly key: string | null;
  readonly child: ChildProcessWithoutNullStreams;
  job: Job | null;
  chunks: Buffer[];
  bytes: number;
  tail: Buffer;
  stderr: string;
  timer: NodeJS.Timeout | undefined;
}

export function createProcesses(idleMs = IDLE_MS): Processes {
  const running = new Set<Running>();
  const waiting: Job[] = [];
  const open = () => [...running].filter(({ key }) => key !== null);

  const forget = (one: Running) => {
    clearTimeout(one.timer);
    running.delete(one);
  };
  const end = (one: Running) => {
    forget(one);
    killGroup(one.child);
  };
  const settle = (one: Running, result: ProcessEnd) => {
    const { job } = one;
    one.job = null;
    job?.settle(result);
  };
  /** Only a process with a job keeps this one alive. */
  const rest = (one: Running) => {
    clearTimeout(one.timer);
    one.timer = setTimeout(() => end(one), idleMs).unref();
    for (const handle of handlesOf(one.child)) handle.unref();
  };

  const put = (one: Running, job: Job) => {
    clearTimeout(one.timer);
    Object.assign(one, { job, chunks: [], bytes: 0, tail: Buffer.alloc(0), stderr: '' });
    for (const handle of handlesOf(one.child)) handle.ref();
    one.timer = setTimeout(() => {
      end(one);
      settle(one, { kind: 'late', stdout: Buffer.concat(one.chunks) });
      next();
    }, job.spec.timeoutMs);
    if (one.key === null) one.child.stdin.end(job.spec.input);
    else one.child.stdin.write(job.spec.input);
  };

  const heard = (one: Running, chunk: Buffer) => {
    const { spec } = one.job ?? {};
    if (spec === undefined) return end(one);
    const { maxBytes, answerEnds = '' } = spec;
    one.chunks.push(chunk);
    one.bytes += chunk.length;
    const length = one.bytes - answerEnds.length;
    if (answerEnds !== '') {
      const last = chunk.subarray(-answerEnds.length);
      one.tail = Buffer.concat([one.tail, last]).subarray(-answerEnds.length);
      if (one.tail.toString('latin1') === answerEnds) {
        const stdout = Buffer.concat(one.chunks).subarray(0, length);
        rest(one);
        settle(one, length > maxBytes ? cutAt(stdout, maxBytes) : exited(0, stdout, one.stderr));
        return next();
      }
    }
    if (length > maxBytes) {
      end(one);
      settle(one, cutAt(Buffer.concat(one.chunks), maxBytes));
      next();
    }
  };

  /** An exit code is an answer. An open process that somebody killed is replaced once. */
  const gone = (one: Running, code: number | null) => {
    const known = running.has(one);
    forget(one);
    if (!known || one.job === null) return next();
    if (code === null && one.key !== null && !one.job.repeated) {
      one.job.repeated = true;
      waiting.unshift(one.job);
      one.job = null;
    } else settle(one, exited(code ?? -1, Buffer.concat(one.chunks), one.stderr));
    next();
  };

  const launch = (job: Job) => {
    let child: ChildProcessWithoutNullStreams;
    try {
      child = spawnGroup(job.spec);
    } catch (error) {
      return job.settle(notStarted(error as NodeJS.ErrnoException));
    }
    const one: Running = {
      ...{ key: job.key, child, job: null, chunks: [], bytes: 0 },
      ...{ tail: Buffer.alloc(0), stderr: '', timer: undefined },
    };
    running.add(one);
    child.stdin.on('error', () => {});
    child.stdout.on('data', (chunk: Buffer) => heard(one, chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (one.stderr.length < STDERR_BYTES) one.stderr += text.slice(0, STDERR_BYTES - one.stderr.length);
    });
    child.on('error', (error) => {
      forget(one);
      settle(one, notStarted(error));
      next();
    });
    // What a killed process had started may keep its output open.
    child.on('exit', (code) => {
      if (code !== null) return;
      killGroup(child);
      gone(one, code);
    });
    child.on('close', (code) => gone(one, code));
    put(one, job);
  };

  /** Gives waiting jobs to idle processes, and starts processes within the limits. */
  const next = () => {
    for (let at = 0; at < waiting.length; ) {
      const job = waiting[at] as Job;
      const alike = open().filter(({ key }) => key === job.key);
      const idle = alike.find((one) => one.job === null);
      if (idle === undefined && alike.length >= MAX_ALIKE) {
        at += 1;
        continue;
      }
      waiting.splice(at, 1);
      if (idle !== undefined) {
        put(idle, job);
        continue;
      }
      const spare = open().length >= MAX_OPEN ? open().find((one) => one.job === null) : undefined;
      if (spare !== undefined) end(spare);
      launch(job);
    }
  };

  return {
    start(spec) {
      const { file, args, cwd, env, answerEnds } = spec;
      const key = answerEnds === undefined ? null : JSON.stringify([file, args, cwd, env]);
      let settled: (end: ProcessEnd) => void = () => {};
      const ended = new Promise<ProcessEnd>((resolve) => {
        settled = resolve;
      });
      const job: Job = { spec, key, settle: settled, repeated: false };
      if (key === null) launch(job);
      else {
        waiting.push(job);
        next();
      }
      return {
        ended,
        kill() {
          const at = waiting.indexOf(job);
          if (at >= 0) waiting.splice(at, 1);
          for (const one of running) if (one.job === job) end(one);
          next();
          // A caller that gives up has no further questions.
          for (const one of open()) if (one.job === null) end(one);
        },
      };
    },
    close() {
      waiting.length = 0;
      for (const one of open()) end(one);
    },
  };
}

/** It leads a group of its own, so that everything it starts can be killed with it. */
function spawnGroup({ file, args, cwd, env, background }: ProcessSpec): ChildProcessWithoutNullStreams {
  const options = { cwd, env: { ...env }, stdio: 'pipe', detached: true, windowsHide: true } as const;
  const child = spawn(file, [...args], options);
  if (background && child.pid !== undefined) lowerPriority(child.pid);
  return child;
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended, or the system does not allow it.
  }
}

function killGroup(child: ChildProcessWithoutNullStreams): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
  child.stdin.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
}

/** What keeps the event loop running. */
function handlesOf(child: ChildProcessWithoutNullStreams): readonly Pick<Socket, 'ref' | 'unref'>[] {
  return [child, child.stdin, child.stdout, child.stderr] as unknown as readonly Socket[];
}

function notStarted({ code, message }: NodeJS.ErrnoException): ProcessEnd {
  return { kind: 'not_started', code, message };
}

function exited(code: number, stdout: Buffer, stderr: string): ProcessEnd {
  return { kind: 'exited', code, stdout, stderr };
}

function cutAt(stdout: Buffer, maxBytes: number): ProcessEnd {
  return { kind: 'cut', stdout: stdout.subarray(0, maxBytes) };
}
