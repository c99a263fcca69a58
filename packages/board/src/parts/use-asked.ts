import { useEffect, useState } from 'preact/hooks';
import { report } from '../state/session.js';

/** Loads a value once per key; `null` while loading. */
export function useAsked<T>(ask: () => Promise<T>, key: string): T | null {
  const [answer, setAnswer] = useState<{ readonly key: string; readonly value: T } | null>(null);
  useEffect(() => {
    let current = true;
    ask().then((value) => {
      if (current) setAnswer({ key, value });
    }, report);
    return () => {
      current = false;
    };
  }, [key]);
  return answer?.key === key ? answer.value : null;
}
