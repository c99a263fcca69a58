import { CulpritError, isCulpritError, type Logger, timeLimit } from '@culprit/core/connector';
import { retryDelayMs } from '@culprit/core/internal/resilience/retry-delay';
import { untilAborted } from '@culprit/core/internal/resilience/time-limit';
import { loadLibrary } from '../../shared/load-library.js';
import { clusterRefusal, sentinelRefusal } from './server-facts.js';

/** Time limit for connecting at start. */
const CONNECT_MS = 5_000;
/** A connection without any response for this long, pings included, counts as lost. */
const SILENT_MS = 8_000;
const PING_MS = 2_000;
/** A cluster's answer to a database number in the URL. */
const CLUSTER_SELECT = 'ERR SELECT is not allowed in cluster mode';
/** A sentinel's. */
const SENTINEL_SELECT = /^ERR unknown command .SELECT/i;
const RECONNECT_DELAYS = { firstMs: 50, maxMs: 2_000 };

/** Loaded only when a shared store is opened. */
export const loadRedis = () => loadLibrary('Redis storage', '@keyv/redis', () => import('@keyv/redis'));

async function makeClient(url: string) {
  const { createClient } = await loadRedis();
  return createClient({
    url,
    // Fail at once instead of queueing: a caller would not know that it is waiting for Redis.
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
  /** Runs one operation; failures reject with `storage_unavailable`. */
  use<Result>(work: (client: RedisClient) => Promise<Result>): Promise<Result>;
  /** Runs a script, loading it into Redis if necessary. */
  script(script: Script, args: readonly string[]): Promise<unknown>;
  /** `joined` runs after every connect, before any other operation on the connection. */
  onConnect(joined: () => Promise<void>): Promise<void>;
  /** A second connection, for messages. */
  subscribe(channel: string, listener: (message: string) => void): Promise<void>;
  close(): void;
}

export interface Script {
  readonly lua: string;
  readonly sha1: string;
}

/** Connects, and reconnects whenever the connection is lost. Rejects if Redis is unreachable. */
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
    if (reason !== error.message && !closed) logger.warn({ reason: error.message }, 'redis is unreachable');
    reason = error.message;
  };
  client.on('error', note);
  subscriber.on('error', note);
  const joinNow = () => {
    reason = 'no answer';
    ready = join();
    ready.catch((error) => {
      if (!closed) logger.warn({ err: error }, 'redis responds but cannot be used');
    });
  };
  client.on('ready', joinNow);
  const use = async <Result>(work: (own: RedisClient) => Promise<Result>): Promise<Result> => {
    if (closed) throw new CulpritError('closed', 'The storage is closed.');
    try {
      if (!client.isReady) throw offline(reason);
      // If joining failed although the connection is up, the next caller tries again.
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
    if (SENTINEL_SELECT.test(reason)) throw sentinelRefusal();
    throw reason.startsWith(CLUSTER_SELECT) ? clusterRefusal() : offline(reason);
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

/** Also works in `onConnect`, before the connection is open to other callers. */
export async function evaluate(
  client: RedisClient,
  { lua, sha1 }: Script,
  args: readonly string[],
): Promise<unknown> {
  try {
    // Sends the raw command: the client's own method puts every argument on the stack, and large batches have too many.
    return await client.sendCommand(['EVALSHA', sha1, '0', ...args]);
  } catch (error) {
    // A restarted Redis has lost the script.
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return client.sendCommand(['EVAL', lua, '0', ...args]);
  }
}

/** The client's own promise would wait forever while Redis is down. */
async function connected(client: RedisClient): Promise<void> {
  const refused = new Promise<never>((_, reject) => {
    client.once('error', reject);
  });
  const connecting = client.connect();
  for (const one of [connecting, refused]) one.catch(() => {});
  await untilAborted(Promise.race([connecting, refused]), timeLimit(CONNECT_MS));
}

function offline(reason: string): CulpritError {
  const detail = `Redis is unreachable (${reason}). Check STORAGE_URL and that Redis is running. Work resumes automatically.`;
  return new CulpritError('storage_unavailable', fixOf(reason) ?? detail);
}

const REFUSALS: readonly (readonly [start: string, fix: string])[] = [
  ['OOM', 'Redis is full. Raise maxmemory, or shorten the retention.'],
  ['READONLY', 'This Redis is a replica. Point STORAGE_URL at the primary.'],
  ['MISCONF', 'Redis rejects writes because it cannot save to disk. Free space on its disk.'],
  ['NOREPLICAS', 'Redis rejects writes because too few replicas are connected.'],
  ['LOADING', 'Redis is still loading its data.'],
  ['NOPERM', 'The Redis user lacks a permission. It needs scripts, strings, sorted sets and pub/sub.'],
  ['NOAUTH', 'Redis requires a password: redis://user:password@host.'],
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
