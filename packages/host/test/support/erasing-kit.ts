import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient, type Erasure, erasureSettled } from '@culprit/client';
import type { startRedis } from '../../../connectors/test/support/redis-server.js';
import { type CoreBench, TOKEN } from './core-bench.js';
import { culprit } from './run-culprit.js';

/** Found in nothing that a core is made of. */
export const PERSON = 'u-okafor-7731';
const AUDIT_KEY = 'audit-key-of-the-test-000000000000000';

export const clientFor = ({ core }: CoreBench, token = TOKEN): Client =>
  createClient({ url: core.url, token });

export async function counted(api: Client, person = PERSON): Promise<Erasure> {
  const { erasure_id } = await api.countErasure({ person });
  return erasureSettled(api, erasure_id);
}

/** Everything that the API says of runs, and the answers of lists. */
export async function everything(api: Client, ids: readonly string[]): Promise<string> {
  const parts: unknown[] = [
    await api.listRuns({ limit: 50 }),
    (await api.listViews()).views,
    (await api.listErasures()).erasures,
  ];
  parts.push(await api.listReleases());
  for (const id of ids) {
    parts.push(
      await api.getRun({ run_id: id }),
      (await api.getHistory({ run_id: id })).entries,
      await api.listOccurrences({ run_id: id }),
    );
    parts.push(await api.getStatistics({ run_id: id }), await api.getBrief({ run_id: id }));
    parts.push(await api.getEvidence({ run_id: id }).catch(() => null));
  }
  return JSON.stringify(parts).toLowerCase();
}

/** What `culprit audit verify` says of the storage while core runs. */
export async function audited(storage: string) {
  const { stdout } = await culprit(['audit', 'verify', '--storage', storage, '--json'], {
    env: { AUDIT_KEY },
  });
  return JSON.parse(stdout);
}

/** The files below the folder that name the person. */
export function filesNaming(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(PERSON))
    .map(({ name }) => name);
}

/** The keys of Redis that name the person, or whose values do. */
export async function keysNaming(redis: Awaited<ReturnType<typeof startRedis>>): Promise<readonly string[]> {
  const naming: string[] = [];
  for (const key of (await redis.command('KEYS', 'culprit:*')) as string[]) {
    const ordered = (await redis.command('TYPE', key)) === 'zset';
    const kept = await redis.command(...(ordered ? ['ZRANGE', key, '0', '-1'] : ['GET', key]));
    if (`${key} ${JSON.stringify(kept)}`.includes(PERSON)) naming.push(key);
  }
  return naming;
}
