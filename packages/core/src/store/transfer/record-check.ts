import * as v from 'valibot';
import { DOORS } from '../../domain/event.js';
import { RUN_STATES } from '../../domain/run.js';
import { isSecretValue } from '../../domain/stored-values.js';
import { TRUSTS } from '../../domain/trust.js';
import { CulpritError } from '../../errors/error.js';
import { isRunId, keys } from '../keys.js';
import type { Kept } from './transfer.js';

/** Checks each record of an export, and that the records form complete runs. */
export interface RecordCheck {
  /** Throws `malformed` for an invalid record. */
  add(kept: Kept): void;
  /** Throws `malformed` if a run lacks its event or a part of its history. Returns the number of runs, tombstones included. */
  end(): number;
}

const HASH = '[\\w-]{32}';
const NUMBER = '\\d{16}';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const texts = v.array(v.string());

/** What lists and counts read of a run. A run without it would make every list unreadable. */
const run = v.looseObject({
  run_id: v.pipe(v.string(), v.check(isRunId)),
  project: v.string(),
  state: v.picklist(RUN_STATES),
  title: v.string(),
  fingerprint: v.looseObject({ hash: v.string(), parts: texts }),
  occurrences: count,
  users: v.optional(v.looseObject({ count, more: v.boolean() })),
  first_seen: v.string(),
  last_seen: v.string(),
  updated_at: v.pipe(v.string(), v.isoTimestamp()),
  releases: texts,
  environments: texts,
  doors: v.array(v.picklist(DOORS)),
  sources: v.optional(
    v.array(
      v.looseObject({
        door: v.picklist(DOORS),
        trust: v.picklist(TRUSTS),
        occurrences: count,
        first_seen: v.string(),
        last_seen: v.string(),
      }),
    ),
  ),
  suspects: v.array(v.looseObject({ sha: v.string() })),
  generation: count,
  cycle: count,
  version: v.pipe(v.number(), v.integer()),
});

/** The JSON shape of each family's text. Members that an import does not depend on are not listed. */
const FAMILIES = {
  w: { key: new RegExp(`^w/${HASH}$`), text: v.pipe(v.number(), v.integer(), v.minValue(0)) },
  x: { key: new RegExp(`^x/${HASH}/${NUMBER}$`), text: v.unknown() },
  k: { key: new RegExp(`^k/${HASH}$`), text: v.unknown() },
  g: { key: new RegExp(`^g/${HASH}$`), text: null },
  b: {
    key: new RegExp(`^b/${HASH}/[0-9a-f]{64}$`),
    text: v.array(
      v.looseObject({ hash: v.string(), fixed: texts, lines: v.array(v.tuple([v.string(), v.string()])) }),
    ),
  },
  h: {
    key: /^h\/[\w-]{1,64}$/,
    text: v.looseObject({
      run,
      intent: v.nullable(v.looseObject({ marker: v.string() })),
      lease: v.nullable(v.looseObject({})),
      entries: count,
      log: v.optional(
        v.looseObject({
          rows: count,
          writes: count,
          shown: v.nullable(count),
          kept: v.array(v.tuple([count, count])),
        }),
      ),
      kept: v.optional(v.looseObject({ door: v.picklist(DOORS), key: v.nullable(v.string()), bytes: count })),
      tombstone: v.optional(v.literal(true)),
    }),
  },
  d: {
    key: /^d\/[\w-]{1,64}$/,
    text: v.looseObject({
      suspects: v.array(v.looseObject({})),
      explanation: v.nullable(v.looseObject({})),
      draft: v.nullable(v.looseObject({ title: v.string(), body: v.string(), digest: v.string() })),
    }),
  },
  e: {
    key: /^e\/[\w-]{1,64}$/,
    text: v.looseObject({
      event_id: v.string(),
      project: v.string(),
      exceptions: v.array(v.looseObject({})),
    }),
  },
  o: {
    key: /^o\/[\w-]{1,64}\/(?:s|[rc]\d{1,2}|e\d{1,16})$/,
    text: v.union([v.array(v.array(v.unknown())), v.looseObject({})]),
  },
  l: {
    key: new RegExp(`^l/[\\w-]{1,64}/${NUMBER}$`),
    text: v.looseObject({
      sequence: v.pipe(v.number(), v.integer(), v.minValue(1)),
      at: v.pipe(v.string(), v.isoTimestamp()),
      name: v.string(),
    }),
  },
} as const;

type Family = keyof typeof FAMILIES;

/** The families of keys that are exported unchanged. Watermarks come first, so that a copy taken during writes counts nothing twice. */
export const EXPORTED_FAMILIES = (Object.keys(FAMILIES) as Family[]).map((family) => `${family}/`);

export function recordCheck(): RecordCheck {
  /** The missing parts of each run: its event, and the rest of its history. */
  const heads = new Map<string, { readonly tombstone: boolean; readonly entries: number }>();
  const events = new Set<string>();
  const histories = new Map<string, number>();

  const addText = (key: string, text: string) => {
    const kind = key.split('/')[0] ?? '';
    const family = Object.hasOwn(FAMILIES, kind) ? FAMILIES[kind as Family] : undefined;
    if (family === undefined || !family.key.test(key)) throw damaged(key, 'is not a key of a storage');
    // The latest run of a fingerprint is the only text that is not JSON.
    if (family.text === null) return void (isRunId(text) || fail(key, 'does not name a run'));
    const read = v.safeParse(family.text, parsed(key, text));
    if (!read.success) throw damaged(key, `is invalid at ${v.getDotPath(read.issues[0]) ?? 'its root'}`);
    const runId = key.split('/')[1] ?? '';
    if (kind === 'h') {
      const head = read.output as v.InferOutput<typeof FAMILIES.h.text>;
      if (head.run.run_id !== runId) throw damaged(key, 'is another run');
      heads.set(runId, { tombstone: head.tombstone === true, entries: head.entries });
    } else if (kind === 'e') events.add(runId);
    else if (kind === 'l') {
      const { sequence } = read.output as v.InferOutput<typeof FAMILIES.l.text>;
      if (keys.history(runId, sequence) !== key) throw damaged(key, 'is another entry');
      histories.set(runId, (histories.get(runId) ?? 0) + 1);
    }
  };

  return {
    add(kept) {
      if ('key' in kept) return addText(kept.key, kept.text);
      if (isSecretValue(kept.value)) throw damaged(kept.value, 'is a secret, which no export contains');
      const read = v.safeParse(v.looseObject({ value: v.string() }), parsed(kept.value, kept.text));
      if (!read.success) throw damaged(kept.value, 'is not a value');
    },
    end() {
      for (const [runId, { tombstone, entries }] of heads) {
        if (tombstone) continue;
        if (!events.has(runId)) throw damaged(runId, 'lacks its event');
        if (histories.get(runId) !== entries && !(entries === 0 && !histories.has(runId)))
          throw damaged(runId, `has ${histories.get(runId) ?? 0} of ${entries} history entries`);
      }
      for (const runId of [...events, ...histories.keys()])
        if (!heads.has(runId)) throw damaged(runId, 'lacks its head');
      return heads.size;
    },
  };
}

/** The value that holds the install key. */
export const INSTALL_KEY = 'install-key';

function parsed(key: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(key, 'is not JSON');
  }
}

function fail(key: string, why: string): never {
  throw damaged(key, why);
}

function damaged(what: string, why: string): CulpritError {
  return new CulpritError(
    'malformed',
    `The export is damaged: ${JSON.stringify(what.slice(0, 100))} ${why}. Use another backup.`,
  );
}
