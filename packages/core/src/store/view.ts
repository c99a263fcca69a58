import type { RunSummary } from '../domain/run.js';
import type { Feed } from './feed.js';
import type { Committed, KeyValue, Operation } from './key-value.js';
import { addedText } from './quota-ledger.js';
import { encodeRun } from './run-parts.js';

/** What of the feed a writer needs. */
export type WriterFeed = Pick<Feed, 'keep' | 'numbered' | 'committed' | 'catchUp'>;

/** How a batch reads and, once, writes. */
export interface View extends Pick<KeyValue, 'getMany'> {
  commit(operations: readonly Operation[], appended: readonly RunSummary[]): Promise<Committed | null>;
}

const NO_VERSIONS: ReadonlyMap<string, string> = new Map();
const NO_ENTRIES = { entries: [], keep: 0 };

/** Nobody else writes, so nothing that was read can change. */
export function ownView(store: KeyValue, feed: WriterFeed): View {
  return {
    getMany: (names) => store.getMany(names),
    commit(changes, appended) {
      const operations = appended.length === 0 ? changes : [...changes, ...feed.numbered(appended)];
      return store.commit({ operations, expected: NO_VERSIONS, feed: NO_ENTRIES });
    },
  };
}

/** Reads each key once, and writes only if nothing of that has changed. */
export function sharedView(store: KeyValue, { keep }: WriterFeed): View {
  const versions = new Map<string, string>();
  const seen = new Map<string, string | undefined>();
  return {
    async getMany(names) {
      const missing = names.filter((name) => !seen.has(name));
      const found = missing.length > 0 ? await store.getMany(missing, versions) : [];
      for (const [at, name] of missing.entries()) seen.set(name, found[at]);
      return names.map((name) => seen.get(name));
    },
    commit(changes, appended) {
      const operations = changes.map((one): Operation => {
        if (one.type !== 'put' || !isCount(one.key)) return one;
        return { type: 'count', key: one.key, value: addedText(seen.get(one.key), one.value) };
      });
      const expected = new Map([...versions].filter(([name]) => !isCount(name)));
      return store.commit({ operations, expected, feed: { entries: appended.map(encodeRun), keep } });
    },
  };
}

/** Counts are added to, so that processes do not collide at them. */
function isCount(key: string): boolean {
  return key.startsWith('q/');
}
