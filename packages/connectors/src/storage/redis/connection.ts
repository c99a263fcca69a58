import { CulpritError, isCulpritError, type Logger } from '@culprit/core';
import { retryDelayMs, timeLimit, untilAborted } from '@culprit/core/resilience';
import { loadRedis } from './load-redis.js';

/** How long a start waits for Redis before it says that Redis is not there. */
const CONNECT_MS = 5_000;
/** A connection that has been silent for so long, pings included, is taken for dead. */
const SILENT_MS = 8_000;
const PING_MS = 2_000;
const RECONNECT_DELAYS = { firstMs: 50, maxMs: 2_000 };

async function makeClient(url: string) {
  const { createClient } = await loadRedis();
  return createClient({
    url,
    // What cannot be sent now is refused now: a caller that waits would not know that it waits for Redis.
    disableOfflineQueue: true,
    pingInterval: PING_MS,
    socket: {
      connectTimeout: CONNECT_MS,
      socketTimeout: SILENT_MS,
      reconnectStrategy: (tries) => retryDelayMs(RECONNECT_DELAYS, tries + 1, { jitter: 0.5 }),
    },
  });
}
export type RedisClient = Awaited<ReturnType<typeof makeClient>>;

export interface Redis {
  readonly client: RedisClient;
  /** Does one thing with Redis; failures reject with `storage_unavailable`. */
  use<Result>(work: (client: RedisClient) => Promise<Result>): Promise<Result>;
  /** Runs a script, whether or not Redis has it already. */
  script(script: Script, args: readonly string[]): Promise<unknown>;
  /** `joined` runs after every connect, before anything else may use the connection. */
  onConnect(joined: () => Promise<void>): Promise<void>;
  /** A second connection, for messages. */
  subscribe(channel: string, listener: (message: string) => void): Promise<void>;
  close(): void;
}

export interface Script {
  readonly lua: string;
  readonly sha1: string;
}

/** Connects, and connects again whenever the connection is lost. Rejects if Redis is not there. */
export async function connectRedis(url: string, logger: Logger): Promise<Redis> {
  const client = await makeClient(url);
  const subscriber = client.duplicate({
    pingInterval: 0,
    socket: { ...client.options?.socket, socketTimeout: 0 },
  });
  let reason = 'no answer';
  let closed = false;
  let join = async () => {};
  let ready: Promise<void> = Promise.reject(offline(reason));
  ready.catch(() => {});
  const note = (error: Error) => {
    if (reason !== error.message && !closed) logger.warn({ reason: error.message }, 'redis does not answer');
    reason = error.message;
  };
  client.on('error', note);
  subscriber.on('error', note);
  const joinNow = () => {
    reason = 'no answer';
    ready = join();
    ready.catch((error) => {
      if (!closed) logger.warn({ err: error }, 'redis answers, and cannot be used');
    });
  };
  client.on('ready', joinNow);
  const use = async <Result>(work: (own: RedisClient) => Promise<Result>): Promise<Result> => {
    if (closed) throw new CulpritError('closed', 'The storage is closed.');
    try {
      if (!client.isReady) throw offline(reason);
      // A join that failed while the connection stood is tried again by whoever comes next.
      await ready.catch(() => {
        joinNow();
        return ready;
      });
      return await work(client);
    } catch (error) {
      throw isCulpritError(error) ? error : unavailable(error);
    }
  };

  try {
    await connected(client);
  } catch {
    closed = true;
    client.destroy();
    throw offline(reason);
  }
  return {
    client,
    use,
    script: (script, args) => use((own) => evaluate(own, script, args)),
    onConnect: async (joined) => {
      join = () =>
        joined().catch((error) => Promise.reject(isCulpritError(error) ? error : unavailable(error)));
      joinNow();
      await ready;
    },
    subscribe: async (channel, listener) => {
      await subscriber.connect();
      await subscriber.subscribe(channel, listener);
    },
    close: () => {
      closed = true;
      for (const one of [client, subscriber]) if (one.isOpen) one.destroy();
    },
  };
}

/** Also where the connection is not yet open to others, in `onConnect`. */
export async function evaluate(
  client: RedisClient,
  { lua, sha1 }: Script,
  args: readonly string[],
): Promise<unknown> {
  try {
    // A command as it is: the client's own way puts every argument on the stack, and large batches have too many.
    return await client.sendCommand(['EVALSHA', sha1, '0', ...args]);
  } catch (error) {
    // A Redis that was started anew has forgotten the script.
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return client.sendCommand(['EVAL', lua, '0', ...args]);
  }
}

/** Its own promise would wait for ever while Redis is away. */
async function connected(client: RedisClient): Promise<void> {
  const refused = new Promise<never>((_, reject) => {
    client.once('error', reject);
  });
  const connecting = client.connect();
  for (const one of [connecting, refused]) one.catch(() => {});
  await untilAborted(Promise.race([connecting, refused]), timeLimit(CONNECT_MS));
}

function offline(reason: string): CulpritError {
  const detail = `Redis cannot be reached (${reason}). Check STORAGE_URL and that Redis runs; work goes on by itself once it answers.`;
  return new CulpritError('storage_unavailable', fixOf(reason) ?? detail);
}

const REFUSALS: readonly (readonly [start: string, fix: string])[] = [
  ['OOM', 'Redis is full. Raise maxmemory, or let retention keep less.'],
  ['READONLY', 'This Redis is a replica. Point STORAGE_URL at the primary.'],
  ['MISCONF', 'Redis cannot save to its disk and so takes no writes. Free its disk.'],
  ['NOREPLICAS', 'Redis misses replicas and so takes no writes.'],
  ['LOADING', 'Redis is still loading its data.'],
  ['NOPERM', 'The Redis user may not do this. It needs scripts, strings, sorted sets and pub/sub.'],
  ['NOAUTH', 'Redis wants a password: redis://user:password@host.'],
  ['WRONGPASS', 'The password in STORAGE_URL is wrong.'],
];

function fixOf(message: string): string | undefined {
  return REFUSALS.find(([start]) => message.startsWith(start))?.[1];
}

export function unavailable(cause: unknown): CulpritError {
  const message = cause instanceof Error ? cause.message : 'unknown failure';
  const fix = fixOf(message);
  return new CulpritError('storage_unavailable', fix ?? `Redis failed: ${message.slice(0, 200)}.`, { cause });
}
