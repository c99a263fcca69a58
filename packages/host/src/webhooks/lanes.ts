import type { Pace } from './pace.js';

/** Concurrent requests, of all webhooks and of one. */
const AT_ONCE = 64;
const OF_ONE = 4;
/** Requests to webhooks whose last attempt failed: they may take long, and must leave room for the others. */
const OF_FAILING = 32;
/** Ready deliveries of one webhook that count for `crowded`, and how many are a crowd. */
const COUNTED_OF_ONE = 20;
const CROWD = 10_000;

interface Lane<Item> {
  readonly ready: Item[];
  active: number;
  failing: boolean;
}

/** One queue for each webhook, served in turn, so that a slow receiver holds up nobody else. */
export interface Lanes<Item> {
  add(webhook: string, item: Item): void;
  /** Deliveries of the webhook that are ready or being sent. */
  size(webhook: string): number;
  /** Whether many webhooks that do not fail have deliveries that wait for their turn. */
  crowded(): boolean;
}

/** `work` must not reject; it resolves with whether the delivery succeeded. */
export function createLanes<Item>(
  work: (webhook: string, item: Item) => Promise<boolean>,
  pace: Pace,
): Lanes<Item> {
  const lanes = new Map<string, Lane<Item>>();
  /** Lanes that may start an item, in the order in which they are served. */
  const turns = new Set<string>();
  /** Failing lanes that wait until another failing one has ended. */
  const held = new Set<string>();
  let active = 0;
  let failingActive = 0;
  let timer: NodeJS.Timeout | null = null;

  const offer = (webhook: string, lane: Lane<Item>) => {
    if (lane.ready.length === 0 || lane.active >= (lane.failing ? 1 : OF_ONE)) return;
    if (lane.failing && failingActive >= OF_FAILING) held.add(webhook);
    else turns.add(webhook);
  };
  const start = (webhook: string, lane: Lane<Item>) => {
    const item = lane.ready.shift();
    if (item === undefined) return;
    const { failing } = lane;
    active += 1;
    lane.active += 1;
    if (failing) failingActive += 1;
    void work(webhook, item).then((ok) => {
      active -= 1;
      lane.active -= 1;
      lane.failing = !ok;
      if (failing) failingActive -= 1;
      if (lane.active === 0 && lane.ready.length === 0 && ok) lanes.delete(webhook);
      release();
      offer(webhook, lane);
      pump();
    });
    offer(webhook, lane);
  };
  const release = () => {
    for (const webhook of held) {
      if (failingActive >= OF_FAILING) return;
      held.delete(webhook);
      turns.add(webhook);
      return;
    }
  };
  const pump = () => {
    while (timer === null && active < AT_ONCE) {
      const [webhook] = turns;
      if (webhook === undefined) return;
      const lane = lanes.get(webhook);
      const mayStart = lane !== undefined && lane.active < (lane.failing ? 1 : OF_ONE);
      if (!mayStart || lane.ready.length === 0) turns.delete(webhook);
      else if (lane.failing && failingActive >= OF_FAILING) {
        turns.delete(webhook);
        held.add(webhook);
      } else if (pace.take()) {
        turns.delete(webhook);
        start(webhook, lane);
      } else {
        timer = setTimeout(() => {
          timer = null;
          pump();
        }, pace.waitMs()).unref();
      }
    }
  };
  return {
    add(webhook, item) {
      const lane = lanes.get(webhook) ?? { ready: [], active: 0, failing: false };
      lanes.set(webhook, lane);
      lane.ready.push(item);
      offer(webhook, lane);
      pump();
    },
    size: (webhook) => {
      const lane = lanes.get(webhook);
      return lane === undefined ? 0 : lane.ready.length + lane.active;
    },
    crowded() {
      let waiting = 0;
      for (const { ready, failing } of lanes.values())
        if (!failing) waiting += Math.min(ready.length, COUNTED_OF_ONE);
      return waiting > CROWD;
    },
  };
}
