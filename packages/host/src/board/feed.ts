import type { RunSummary } from '@culprit/core';

export interface GuardFigures {
  readonly edge: string;
  readonly received_at: string;
  readonly figures: Readonly<Record<string, unknown>>;
}
type Message =
  | {
      readonly type: 'snapshot';
      readonly epoch: string;
      readonly sequence: number;
      readonly runs: readonly RunSummary[];
      readonly guard: readonly GuardFigures[];
    }
  | { readonly type: 'run'; readonly sequence: number; readonly run: RunSummary }
  | { readonly type: 'guard'; readonly guard: readonly GuardFigures[] };

export type ConnectionState = 'connecting' | 'live' | 'waiting' | 'off';

export interface FeedListener {
  snapshot(runs: readonly RunSummary[]): void;
  run(run: RunSummary): void;
  guard(guard: readonly GuardFigures[]): void;
  /** `detail`: for a person. */
  state(state: ConnectionState, detail: string): void;
  signedOut(): void;
}

const SIGNED_OUT = 4401;
const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000];

/** Follows the live feed and comes back where it left off. Returns how to stop. */
export function followFeed(listener: FeedListener): () => void {
  let socket: WebSocket | null = null;
  let cursor: { epoch: string; sequence: number } | null = null;
  let tries = 0;
  let timer = 0;
  let stopped = false;
  let lastHeard = Date.now();

  const connect = () => {
    listener.state('connecting', 'connecting');
    const since = cursor === null ? '' : `?since=${encodeURIComponent(`${cursor.epoch}.${cursor.sequence}`)}`;
    const opened = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api/v1/live${since}`);
    socket = opened;
    opened.addEventListener('message', ({ data }) => {
      tries = 0;
      lastHeard = Date.now();
      listener.state('live', 'live');
      receive(JSON.parse(String(data)) as Message);
    });
    opened.addEventListener('close', ({ code }) => {
      if (stopped || socket !== opened) return;
      if (code === SIGNED_OUT) return listener.signedOut();
      const pause = PAUSES_MS[Math.min(tries++, PAUSES_MS.length - 1)] ?? 10_000;
      const seconds = Math.round((Date.now() - lastHeard) / 1000);
      listener.state('waiting', `reconnecting, last heard ${seconds} s ago`);
      timer = window.setTimeout(connect, pause);
    });
  };
  const receive = (message: Message) => {
    switch (message.type) {
      case 'snapshot':
        cursor = { epoch: message.epoch, sequence: message.sequence };
        listener.snapshot(message.runs);
        listener.guard(message.guard);
        break;
      case 'run':
        if (cursor !== null) cursor.sequence = message.sequence;
        listener.run(message.run);
        break;
      case 'guard':
        listener.guard(message.guard);
        break;
    }
  };
  connect();
  return () => {
    stopped = true;
    window.clearTimeout(timer);
    socket?.close();
    listener.state('off', 'signed out');
  };
}
