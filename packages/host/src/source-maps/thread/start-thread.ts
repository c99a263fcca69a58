import { Worker } from 'node:worker_threads';
import { CulpritError } from '@culprit/core';
import { mutex } from '@culprit/core/internal/resilience/mutex';
import type { JobAnswer, JobName, Jobs } from './jobs.js';

/** Does jobs one after another outside the event loop, in bounded memory. */
export interface Thread {
  /** Rejects with `malformed` if the input is at fault, with `timed_out` after `ms`. */
  run<Name extends JobName>(
    name: Name,
    request: Jobs[Name]['request'],
    ms: number,
  ): Promise<Jobs[Name]['answer']>;
  close(): Promise<void>;
}

const HEAP_MB = 256;
/** An idle thread ends after this. */
const IDLE_MS = 30_000;

export function startThread(): Thread {
  const oneAtATime = mutex();
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;
  const stop = async () => {
    clearTimeout(idle);
    const current = worker;
    worker = null;
    await current?.terminate();
  };
  const one = (name: JobName, request: Jobs[JobName]['request'], ms: number): Promise<unknown> => {
    if (closed) throw new CulpritError('closed', 'Core is stopping. Try again in a moment.');
    clearTimeout(idle);
    worker ??= new Worker(new URL('./main.js', import.meta.url), {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    const current = worker;
    current.ref();
    return new Promise((resolve, reject) => {
      const release = () => {
        clearTimeout(timer);
        current.off('message', answered).off('error', failed).off('exit', ended).unref();
      };
      const failed = (error: Error) => {
        release();
        void stop();
        reject(error);
      };
      const ended = () => failed(new CulpritError('closed', 'Core is stopping. Try again in a moment.'));
      const answered = (answer: JobAnswer) => {
        release();
        idle = setTimeout(() => void stop(), IDLE_MS).unref();
        if (answer.ok) resolve(answer.value);
        else if (answer.refused) reject(new CulpritError('malformed', answer.detail));
        else reject(Object.assign(new Error(answer.detail), { code: answer.code }));
      };
      const timer = setTimeout(() => {
        failed(new CulpritError('timed_out', 'A source map took too long to read.'));
      }, ms);
      current.once('message', answered).once('error', failed).once('exit', ended);
      current.postMessage({ name, request });
    });
  };
  return {
    run: (name, request, ms) => oneAtATime(() => one(name, request, ms)) as never,
    close: async () => {
      closed = true;
      await stop();
    },
  };
}
