/** Concurrent requests, of all webhooks and of one. */
const AT_ONCE = 64;
const OF_ONE = 4;
/** Requests to webhooks whose last attempt failed: they may take long, and must leave room for the others. */
const OF_FAILING = 32;

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
}

/** `work` must not reject; it resolves with whether the delivery succeeded. */
export function createLanes<Item>(work: (webhook: string, item: Item) => Promise<boolean>): Lanes<Item> {
  const lanes = new Map<string, Lane<Item>>();
  /** Lanes with ready items, in the order in which they are served. */
  const turns = new Set<string>();
  let active = 0;
  let failingActive = 0;

  const mayStart = ({ active: own, failing }: Lane<Item>) =>
    failing ? own < 1 && failingActive < OF_FAILING : own < OF_ONE;
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
      pump();
    });
  };
  const pump = () => {
    for (let progress = true; progress && active < AT_ONCE; ) {
      progress = false;
      for (const webhook of [...turns]) {
        const lane = lanes.get(webhook);
        if (active >= AT_ONCE) return;
        if (lane === undefined || lane.ready.length === 0) {
          turns.delete(webhook);
          continue;
        }
        if (!mayStart(lane)) continue;
        // To the end of the turns.
        turns.delete(webhook);
        turns.add(webhook);
        start(webhook, lane);
        progress = true;
      }
    }
  };
  return {
    add(webhook, item) {
      const lane = lanes.get(webhook) ?? { ready: [], active: 0, failing: false };
      lanes.set(webhook, lane);
      lane.ready.push(item);
      turns.add(webhook);
      pump();
    },
    size: (webhook) => {
      const lane = lanes.get(webhook);
      return lane === undefined ? 0 : lane.ready.length + lane.active;
    },
  };
}
