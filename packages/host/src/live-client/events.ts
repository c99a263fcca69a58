import type { RunSummary } from '@culprit/core';
import type { EdgeFigures } from '../live/messages.js';

/** `connecting` · `live`: everything known is applied · `waiting`: until the next try · `closed`: for good. */
export type ConnectionState = 'connecting' | 'live' | 'waiting' | 'closed';

export interface LiveEvents {
  /** All open runs anew. `reset`: the numbers could not be continued, so changes in between were not seen one by one. */
  snapshot: { readonly runs: readonly RunSummary[]; readonly reset: boolean; readonly complete: boolean };
  /** The rest of a snapshot that did not fit in one message; `runs` of the client is complete now. */
  complete: { readonly runs: readonly RunSummary[] };
  /** One change of one run, also of one that was closed by it (`open` is false, and it has left `runs`). */
  run: { readonly run: RunSummary; readonly before: RunSummary | null; readonly open: boolean };
  guard: readonly EdgeFigures[];
  /** `detail` is for a person. */
  state: { readonly state: ConnectionState; readonly detail: string };
}

type Listener<Name extends keyof LiveEvents> = (event: LiveEvents[Name]) => void;

export interface Emitter {
  on<Name extends keyof LiveEvents>(name: Name, listener: Listener<Name>): () => void;
  emit<Name extends keyof LiveEvents>(name: Name, event: LiveEvents[Name]): void;
}

/** A listener that throws ends its own turn, not the others': its error is thrown again where nobody waits. */
export function createEmitter(): Emitter {
  const listeners = new Map<keyof LiveEvents, Set<(event: never) => void>>();
  return {
    on(name, listener) {
      const all = listeners.get(name) ?? new Set();
      listeners.set(name, all.add(listener));
      return () => void all.delete(listener);
    },
    emit(name, event) {
      for (const listener of [...(listeners.get(name) ?? [])]) {
        try {
          (listener as (given: typeof event) => void)(event);
        } catch (error) {
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    },
  };
}
