import { keyedMutex } from '@culprit/core/resilience';
import * as v from 'valibot';
import { type CacheContext, cachesOf, GROWING } from '../shared/open-cache.js';
import { read } from '../shared/read-answer.js';
import { type ForgejoClient, repositoryPath } from './client.js';
import { requestFailure, unreadable } from './errors.js';
import { labelSchema } from './schema.js';

const PER_PAGE = 50;
const MOST_PAGES = 20;
const COLOUR = '#ededed';
const MOST_REPOSITORIES = 256;

/** Issues name their labels by id. */
export interface Labels {
  /**
   * The ids of labels of a repository or its organisation, created in the repository if missing. A label that cannot be created is left out: it is missing from the issue,
   * and the engine reports it.
   */
  idsOf(name: string, labels: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
  /** Reads them again the next time. */
  forget(name: string): Promise<unknown>;
}

export function labelStore(client: ForgejoClient, context: CacheContext): Labels {
  const known = cachesOf(context, 'forgejo')<Map<string, number>>('labels', MOST_REPOSITORIES, {
    ...GROWING,
    // Another process may create a label meanwhile, and a JSON cannot be added to.
    local: true,
  });
  // The server accepts two labels of one name, so they are created one after another.
  const inTurn = keyedMutex<string>();

  const listed = async (name: string, signal: AbortSignal): Promise<Map<string, number>> => {
    const ids = new Map<string, number>();
    const add = async (path: string) => {
      for (let page = 1; page <= MOST_PAGES; page += 1) {
        const { data } = await client.get(path, { page, limit: PER_PAGE }, signal);
        const labels = read(v.array(labelSchema), data, unreadable);
        for (const label of labels) if (!ids.has(label.name)) ids.set(label.name, label.id);
        // This listing has no link to the next page, and a server may allow fewer entries.
        if (labels.length === 0) break;
      }
    };
    await add(`${repositoryPath(name)}/labels`);
    const [owner = ''] = name.split('/');
    // 404: a person owns the repository. 403: the token may not read organisations, so their labels are not known.
    await add(`/orgs/${encodeURIComponent(owner)}/labels`).catch((error) => {
      if (![403, 404].includes(requestFailure(error).status)) throw error;
    });
    return ids;
  };

  return {
    forget: (name) => known.delete(name),
    idsOf(name, labels, signal) {
      return inTurn(name, async () => {
        try {
          const ids = (await known.get(name)) ?? (await listed(name, signal));
          await known.set(name, ids);
          for (const label of labels) {
            if (ids.has(label)) continue;
            const body = { name: label, color: COLOUR, description: 'Set by Culprit' };
            const { data } = await client.send('POST', `${repositoryPath(name)}/labels`, body, signal);
            ids.set(label, read(labelSchema, data, unreadable).id);
          }
          return labels.flatMap((label) => ids.get(label) ?? []);
        } catch {
          signal.throwIfAborted();
          const ids = await known.get(name);
          return labels.flatMap((label) => ids?.get(label) ?? []);
        }
      });
    },
  };
}
