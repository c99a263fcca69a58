import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { report } from '../state/session.js';
import { ask, type Question } from './dialog.js';

export interface Resource<T> {
  /** `null` while it is loaded for the first time. */
  readonly found: T | null;
  /** Whether core's last answer was an error. */
  readonly failed: boolean;
  /** Resolves with the answer; `null`: core did not answer, and its error is shown. */
  readonly read: () => Promise<T | null>;
  /** After a confirmation, if there is a question: runs the work, then reads again, unless the work resolves with `false`. */
  readonly act: (work: () => Promise<unknown>, question?: Question) => Promise<void>;
}

/** What core knows about something: read when the page opens or `key` changes, after each action, and with `everyMs` again and again. */
export function useResource<T>(load: () => Promise<T>, key = '', everyMs?: number): Resource<T> {
  const found = useSignal<T | null>(null);
  const failed = useSignal(false);
  const turns = useRef(0);
  const pending = useRef(0);
  const read = async () => {
    const turn = ++turns.current;
    pending.current += 1;
    try {
      const answer = await load();
      // A late answer must not replace a newer one, which may be about another key.
      if (turn === turns.current) {
        found.value = answer;
        failed.value = false;
      }
      return answer;
    } catch (error) {
      if (turn === turns.current) failed.value = true;
      report(error);
      return null;
    } finally {
      pending.current -= 1;
    }
  };
  useEffect(() => {
    failed.value = false;
    void read();
    // A slow core is not asked again before it has answered.
    const again = () => void (pending.current === 0 && read());
    const timer = everyMs === undefined ? undefined : window.setInterval(again, everyMs);
    return () => window.clearInterval(timer);
  }, [key]);
  const act = async (work: () => Promise<unknown>, question?: Question) => {
    if (question !== undefined && (await ask(question)) === null) return;
    try {
      if ((await work()) === false) return;
    } catch (error) {
      report(error);
    }
    await read();
  };
  return { found: found.value, failed: failed.value, read, act };
}
