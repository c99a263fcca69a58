import { keyedMutex } from '@culprit/core/resilience';
import * as v from 'valibot';
import { requestFailure } from '../shared/hosts/failure.js';
import { type Cache, type CacheContext, cachesOf, GROWING } from '../shared/open-cache.js';
import { read, send, type Target } from './ask.js';
import { labelSchema } from './schema.js';

const PER_PAGE = 50;
const MOST_PAGES = 20;
const COLOUR = '#ededed';
const MOST_REPOSITORIES = 256;

/** The labels of repositories and their organisations: issues name them by id. */
export class Labels {
  private readonly known: Cache<Map<string, number>>;
  /** The server accepts two labels of one name, so they are created one after another. */
  private readonly inTurn = keyedMutex<string>();

  constructor(context: CacheContext) {
    // Another process may create a label meanwhile, and a JSON cannot be added to.
    this.known = cachesOf(context, 'forgejo')('labels', MOST_REPOSITORIES, { ...GROWING, local: true });
  }

  /**
   * The ids of labels, created in the repository if missing. A label that cannot be created is left out: it is missing from the
   * issue, and the engine reports it.
   */
  idsOf(target: Target, labels: readonly string[]): Promise<readonly number[]> {
    const name = nameOf(target);
    return this.inTurn(name, async () => {
      let ids: Map<string, number> | undefined;
      try {
        ids = await this.known.through(name, () => list(target));
        for (const label of labels) {
          if (ids.has(label)) continue;
          const body = { name: label, color: COLOUR, description: 'Set by Culprit' };
          const { data } = await send(target, 'POST /repos/{owner}/{repo}/labels', body);
          ids.set(label, read(labelSchema, data).id);
        }
      } catch {
        target.signal.throwIfAborted();
      }
      return labels.flatMap((label) => ids?.get(label) ?? []);
    });
  }

  /** Reads them again the next time. */
  async forget(target: Target): Promise<void> {
    await this.known.delete(nameOf(target));
  }
}

const nameOf = ({ owner, repo }: Target) => `${owner}/${repo}`;

async function list(target: Target): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  const add = async (route: string, others: { readonly repo?: undefined } = {}) => {
    for (let page = 1; page <= MOST_PAGES; page += 1) {
      const { data } = await send(target, route, { ...others, page, limit: PER_PAGE });
      const labels = read(v.array(labelSchema), data);
      for (const label of labels) if (!ids.has(label.name)) ids.set(label.name, label.id);
      // This listing has no link to the next page, and a server may allow fewer entries.
      if (labels.length === 0) break;
    }
  };
  await add('GET /repos/{owner}/{repo}/labels');
  // 404: a person owns the repository. 403: the token may not read organisations, so their labels are not known.
  await add('GET /orgs/{owner}/labels', { repo: undefined }).catch((error) => {
    if (![403, 404].includes(requestFailure(error).status)) throw error;
  });
  return ids;
}
