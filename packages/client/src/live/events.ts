import type { RunSummary } from '../operations.js';
import type { EdgeFigures, LiveMessage, ProgressMessage } from './messages.js';

/** `connecting` · `live`: up to date · `waiting`: for the next attempt · `closed`: permanently. */
export type ConnectionState = 'connecting' | 'live' | 'waiting' | 'closed';

/**
 * Why the connection is waiting or closed. Closed: `closed` by `close()`, `signed_out`, `unsupported_version`,
 * `no_websocket`: no class to connect with. Waiting: `unreachable`: core does not respond, `lost`: core or the network ended the connection, `gap`: messages are missing.
 */
export type LiveReason =
  | 'closed'
  | 'signed_out'
  | 'unsupported_version'
  | 'no_websocket'
  | 'unreachable'
  | 'lost'
  | 'gap';

/** The events a live client emits. */
export interface LiveEvents {
  /** All open runs. `reset`: the client could not resume, so it has missed individual changes. */
  snapshot: { readonly runs: readonly RunSummary[]; readonly reset: boolean; readonly complete: boolean };
  /** The client has read the open runs that did not fit in the snapshot; its `runs` are complete now. */
  complete: { readonly runs: readonly RunSummary[] };
  /** One change of one run. `open` is false if the change closed the run, which has then left `runs`. */
  run: { readonly run: RunSummary; readonly before: RunSummary | null; readonly open: boolean };
  guard: readonly EdgeFigures[];
  /** The finished steps of an analysis that runs now. The history has them once it ends. */
  progress: ProgressMessage;
  /** Every message, as received, after it has been applied. */
  message: LiveMessage;
  /** `detail` is for people, `reason` for programs. */
  state: {
    readonly state: ConnectionState;
    readonly detail: string;
    /** `null` while connecting and live. */
    readonly reason: LiveReason | null;
  };
}

type Listener<Name extends keyof LiveEvents> = (event: LiveEvents[Name]) => void;

export interface Emitter {
  on<Name extends keyof LiveEvents>(name: Name, listener: Listener<Name>): () => void;
  emit<Name extends keyof LiveEvents>(name: Name, event: LiveEvents[Name]): void;
}

/** An error thrown by a listener does not affect the other listeners; it becomes an uncaught exception. */
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
