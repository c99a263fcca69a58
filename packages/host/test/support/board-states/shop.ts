import type { World } from './world.js';

const COMMON = { release: 'v2.4.0', environment: 'production' };

interface Other {
  readonly message: string;
  readonly platform: string;
  readonly level: string;
  readonly hours: readonly number[];
  readonly door?: 'sdk';
}
const OTHERS: readonly Other[] = [
  { message: 'KeyError: shipping_address', platform: 'python', level: 'error', hours: [12, 2, 1] },
  {
    message: 'TimeoutError: the payment gateway did not answer within 5000 ms',
    platform: 'other',
    level: 'error',
    hours: [20, 19, 19, 18, 8, 8, 7, 7, 7, 6, 2],
  },
  {
    message: 'NullPointerException: Cannot invoke "Cart.total()" because "cart" is null',
    platform: 'java',
    level: 'error',
    hours: [16, 15, 5, 4, 4],
  },
  {
    message: 'Deprecated: the field "sku" is going away',
    platform: 'javascript',
    level: 'warning',
    hours: [23, 22, 21, 20, 18, 14, 12, 9, 5, 3, 3, 2, 1, 0],
    door: 'sdk',
  },
  {
    message: 'panic: runtime error: index out of range [3] with length 3',
    platform: 'go',
    level: 'fatal',
    hours: [0],
  },
];

/** The crash that the web shop prints. */
export function voucherCrash(stack: string): object {
  return {
    ...COMMON,
    level: 'fatal',
    platform: 'node',
    stack,
    server_name: 'shop-3',
    tags: { region: 'eu-west-1', plan: 'business' },
  };
}

/** A crash in a file that the repository does not have. */
export function strangerCrash(message: string): object {
  return {
    ...COMMON,
    level: 'error',
    platform: 'node',
    fingerprint: [message],
    stack: `Error: ${message}\n    at send (/opt/relay/lib/queue.js:40:11)`,
  };
}

/** A morning's crashes, oldest first. Returns the run of the web shop's crash. */
export async function morning(world: World): Promise<string> {
  const others = OTHERS.flatMap(({ hours, door, ...rest }) =>
    hours.map((hour) => ({ hour, door, crash: { ...COMMON, ...rest, fingerprint: [rest.platform] } })),
  );
  const crash = voucherCrash(world.stderr);
  const own = [9, 7, 6, 4, 3, 3, 1, 0].map((hour) => ({ hour, door: undefined, crash }));
  const all = [...others, ...own].sort((a, b) => b.hour - a.hour);
  const runs = new Map<object, string>();
  // One batch each: the charts count what each batch changed.
  for (const { hour, door, crash: one } of all) {
    runs.set(one, await world.crash(one, door, world.ago(hour)));
  }
  return runs.get(crash) ?? '';
}
