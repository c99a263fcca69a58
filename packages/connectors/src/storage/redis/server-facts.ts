import { CulpritError, type Logger } from '@culprit/core/connector';
import type { RedisClient } from './connection.js';

export interface ServerFacts {
  /** For operators: how durable this Redis is, and what it does when it is full. */
  readonly detail: string;
}

/**
 * Refuses a Redis that would silently lose state, and describes how much any other can lose. Uses only `INFO`, because
 * many hosted services do not allow `CONFIG`.
 */
export async function checkServer(client: RedisClient, logger: Logger): Promise<ServerFacts> {
  const info = parse(await client.info());
  if (info.get('redis_mode') === 'sentinel') throw sentinelRefusal();
  if (info.get('cluster_enabled') === '1') throw clusterRefusal();
  const version = info.get('redis_version') ?? '0';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 6 || (major === 6 && minor < 2))
    throw refuse(`Redis ${version} is too old: 6.2 or later is required`);
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  const limited = Number(info.get('maxmemory') ?? 0) > 0;
  if (limited && policy !== 'noeviction') {
    throw refuse(
      `maxmemory-policy is ${policy}: a full Redis would silently delete runs. Set it to noeviction`,
    );
  }
  const warnings = [
    ...(policy === 'noeviction'
      ? []
      : [`maxmemory-policy is ${policy}; set noeviction before you set maxmemory`]),
    ...persistenceOf(info),
  ];
  for (const warning of warnings) logger.warn({}, `redis: ${warning}`);
  return { detail: `Shared in ${nameOf(info)}. ${warnings.join('. ') || DURABLE}.` };
}

/** Valkey reports the version of Redis that it is compatible with, and its own. */
function nameOf(info: ReadonlyMap<string, string>): string {
  const valkey = info.get('valkey_version');
  return valkey === undefined ? `Redis ${info.get('redis_version')}` : `Valkey ${valkey}`;
}

/** A client that follows Sentinel would write to the old primary for as long as it takes to notice, and those writes are lost. */
export function sentinelRefusal(): CulpritError {
  return refuse(
    'Redis Sentinel is not supported, because a failover can lose writes that were acknowledged. Set STORAGE_URL to the primary itself',
  );
}

/** Our scripts do not declare their keys, because a script learns only from data which keys it writes. */
export function clusterRefusal(): CulpritError {
  return refuse(
    'this Redis is a cluster, whose scripts may only use keys of one slot. Set STORAGE_URL to a single primary; it may have replicas',
  );
}

const DURABLE =
  'The append-only file is on: a crash of Redis loses at most the last second, which edges resend';

function persistenceOf(info: ReadonlyMap<string, string>): readonly string[] {
  if (info.get('aof_enabled') === '1') {
    const sound = info.get('aof_last_write_status') !== 'err';
    return sound ? [] : ['its append-only file cannot be written'];
  }
  return [
    'appendonly is off: a restart of Redis loses everything since its last snapshot. Set appendonly yes',
  ];
}

function parse(info: string): ReadonlyMap<string, string> {
  return new Map(
    info.split(/\r?\n/).flatMap((line) => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
    }),
  );
}

function refuse(why: string): CulpritError {
  return new CulpritError('configuration', `Connector storage: ${why}.`, { path: 'url' });
}
