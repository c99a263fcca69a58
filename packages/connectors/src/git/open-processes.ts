import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import {
  killGroup,
  notStarted,
  type ProcessEnd,
  type ProcessSpec,
  STDERR_BYTES,
  type StartedProcess,
} from './process.js';

/** Processes of one command in one repository. */
const MOST_ALIKE = Math.min(4, Math.max(2, availableParallelism()));
/** Processes in all, idle ones included. */
const MOST = 16;
/** An idle process ends after this time. */
const IDLE_MS = 30_000;

/** A question to a process that stays open: `input` makes it answer, and the answer ends with `answerEnds`. */
export type QuestionSpec = ProcessSpec & { readonly answerEnds: string };

interface Question {
  readonly spec: QuestionSpec;
  readonly key: string;
  readonly settle: (end: ProcessEnd) => void;
  /** Its first process was killed by somebody else. */
  repeated: boolean;
}

interface Open {
  readonly key: string;
  readonly child: ChildProcessWithoutNullStreams;
  asked: Question | null;
  chunks: Buffer[];
  bytes: number;
  tail: Buffer;
  stderr: string;
  timer: NodeJS.Timeout | undefined;
}

/** Processes that answer many questions, one after another, because starting git costs more than most answers. */
export interface OpenProcesses {
  ask(spec: QuestionSpec): StartedProcess;
  /** Ends the processes that have nothing to do. */
  closeIdle(): void;
  /** Kills all. Questions without an answer never settle. */
  close(): void;
}

export function createOpenProcesses(idleMs = IDLE_MS): OpenProcesses {
  const open = new Set<Open>();
  const waiting: Question[] = [];

  const forget = (one: Open) => {
    clearTimeout(one.timer);
    open.delete(one);
  };
  const end = (one: Open) => {
    forget(one);
    killGroup(one.child);
  };
  const settle = (one: Open, result: ProcessEnd) => {
    const asked = one.asked;
    one.asked = null;
    asked?.settle(result);
  };
  /** Only a process with a question keeps this one alive. */
  const rest = (one: Open) => {
    clearTimeout(one.timer);
    one.timer = setTimeout(() => end(one), idleMs).unref();
    for (const handle of handlesOf(one.child)) handle.unref();
  };

  const put = (one: Open, question: Question) => {
    clearTimeout(one.timer);
    Object.assign(one, { asked: question, chunks: [], bytes: 0, tail: Buffer.alloc(0), stderr: '' });
    for (const handle of handlesOf(one.child)) handle.ref();
    one.timer = setTimeout(() => {
      end(one);
      settle(one, { kind: 'late' });
      next();
    }, question.spec.timeoutMs);
    one.child.stdin.write(question.spec.input);
  };

  const heard = (one: Open, chunk: Buffer) => {
    const { spec } = one.asked ?? {};
    if (spec === undefined) return end(one);
    const { maxBytes, answerEnds } = spec;
    one.chunks.push(chunk);
    one.bytes += chunk.length;
    one.tail = Buffer.concat([one.tail, chunk.subarray(-answerEnds.length)]).subarray(-answerEnds.length);
    const length = one.bytes - answerEnds.length;
    if (one.tail.toString('latin1') === answerEnds) {
      const stdout = Buffer.concat(one.chunks).subarray(0, length);
      rest(one);
      settle(one, length > maxBytes ? cutAt(stdout, maxBytes) : exited(0, stdout, one.stderr));
      next();
    } else if (length > maxBytes) {
      end(one);
      settle(one, cutAt(Buffer.concat(one.chunks), maxBytes));
      next();
    }
  };

  /** An exit code is an answer. A process that somebody killed is replaced once. */
  const gone = (one: Open, code: number | null) => {
    const known = open.has(one);
    forget(one);
    if (!known || one.asked === null) return next();
    if (code === null && !one.asked.repeated) {
      one.asked.repeated = true;
      waiting.unshift(one.asked);
      one.asked = null;
    } else settle(one, exited(code ?? -1, Buffer.concat(one.chunks), one.stderr));
    next();
  };

  const start = (question: Question) => {
    let child: ChildProcessWithoutNullStreams;
    try {
      child = spawnOpen(question.spec);
    } catch (error) {
      return question.settle(notStarted(error as NodeJS.ErrnoException));
    }
    const one: Open = {
      ...{ key: question.key, child, asked: null, chunks: [], bytes: 0 },
      ...{ tail: Buffer.alloc(0), stderr: '', timer: undefined },
    };
    open.add(one);
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
    put(one, question);
  };

  /** Gives waiting questions to idle processes, and starts processes within the limits. */
  const next = () => {
    for (let at = 0; at < waiting.length; ) {
      const question = waiting[at] as Question;
      const alike = [...open].filter(({ key }) => key === question.key);
      const idle = alike.find(({ asked }) => asked === null);
      if (idle === undefined && alike.length >= MOST_ALIKE) {
        at += 1;
        continue;
      }
      waiting.splice(at, 1);
      if (idle !== undefined) {
        put(idle, question);
        continue;
      }
      const spare = open.size >= MOST ? [...open].find(({ asked }) => asked === null) : undefined;
      if (spare !== undefined) end(spare);
      start(question);
    }
  };

  return {
    ask(spec) {
      const key = JSON.stringify([spec.file, spec.args, spec.cwd, spec.env]);
      let settleIt: (end: ProcessEnd) => void = () => {};
      const ended = new Promise<ProcessEnd>((resolve) => {
        settleIt = resolve;
      });
      const question: Question = { spec, key, settle: settleIt, repeated: false };
      waiting.push(question);
      next();
      return {
        ended,
        kill() {
          const at = waiting.indexOf(question);
          if (at >= 0) waiting.splice(at, 1);
          for (const one of open) if (one.asked === question) end(one);
          next();
        },
      };
    },
    closeIdle() {
      for (const one of open) if (one.asked === null) end(one);
    },
    close() {
      waiting.length = 0;
      for (const one of open) end(one);
    },
  };
}

function spawnOpen({ file, args, cwd, env }: ProcessSpec): ChildProcessWithoutNullStreams {
  const options = { cwd, env: { ...env }, stdio: 'pipe', detached: true, windowsHide: true } as const;
  return spawn(file, [...args], options);
}

/** What keeps the event loop running. */
function handlesOf(child: ChildProcessWithoutNullStreams): readonly Pick<Socket, 'ref' | 'unref'>[] {
  return [child, child.stdin, child.stdout, child.stderr] as unknown as readonly Socket[];
}

function exited(code: number, stdout: Buffer, stderr: string): ProcessEnd {
  return { kind: 'exited', code, stdout, stderr };
}

function cutAt(stdout: Buffer, maxBytes: number): ProcessEnd {
  return { kind: 'cut', stdout: stdout.subarray(0, maxBytes) };
}
