import { type Semaphore, semaphore } from './semaphore.js';

/** Runs one piece of work after another, in the order of the calls, even if the previous one failed. */
export function mutex(): Semaphore {
  return semaphore(1);
}

/** A mutex for each key; it holds no memory for keys without work. */
export function keyedMutex<Key>(): <T>(key: Key, work: () => Promise<T>) => Promise<T> {
  const last = new Map<Key, Promise<unknown>>();
  return async (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}
