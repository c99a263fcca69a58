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

/** The crash that the web shop prints, with what an SDK reports besides. `at`: ISO 8601; `customer`: their number. */
export function voucherCrash(stack: string, at: string, customer = 1): object {
  const crumb = (seconds: number, category: string, message: string) => ({
    timestamp: new Date(Date.parse(at) - seconds * 1_000).toISOString(),
    category,
    message,
    level: 'info',
  });
  return {
    ...COMMON,
    level: 'fatal',
    platform: 'node',
    stack,
    server_name: 'shop-3',
    transaction: 'POST /checkout',
    tags: { region: customer % 3 === 0 ? 'us-east-1' : 'eu-west-1', plan: 'business' },
    user: { id: `customer-${customer}`, email: 'jo@example.com' },
    request: {
      method: 'POST',
      url: 'https://webshop.example/checkout?step=pay',
      headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)', Authorization: 'Bearer 0123456789abcdef' },
      data: { order: 1043, voucher: 'SPRING' },
    },
    contexts: {
      runtime: { name: 'node', version: 'v20.19.0' },
      os: { name: 'Linux', version: '6.1' },
      trace: { trace_id: '0af7651916cd43dd8448eb211c80319c', span_id: 'b7ad6b7169203331' },
    },
    breadcrumbs: {
      values: [
        crumb(19, 'auth', 'signed in'),
        crumb(10, 'cart', 'voucher SPRING added'),
        {
          ...crumb(3, 'http', ''),
          data: { method: 'GET', url: '/campaigns/spring', status_code: 200 },
        },
        { ...crumb(2, 'checkout', 'no percentage in the campaign file'), level: 'warning' },
      ],
    },
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
  const own = [9, 7, 6, 4, 3, 3, 1, 0].map((hour, customer) => ({
    hour,
    door: undefined,
    crash: voucherCrash(world.stderr, world.ago(hour), 1 + (customer % 5)),
  }));
  const all = [...others, ...own].sort((a, b) => b.hour - a.hour);
  let shop = '';
  // One batch each: the charts count what each batch changed.
  for (const { hour, door, crash: one } of all) {
    const run = await world.crash(one, door, world.ago(hour));
    if ('stack' in one) shop = run;
  }
  return shop;
}
