import { keptCounts } from '../domain/quota.js';
import { systemClock } from '../system.js';
import { walkList } from './key-value.js';
import { keys, scope } from './keys.js';
import { quotaLedger } from './quota-ledger.js';
import { type Retention, type RetentionParts, sweepEventIds, sweepRuns } from './retention.js';
import { decode, keptOf, ownerOf, type RunHead } from './run-parts.js';
import { indexRuns, sealBlocks } from './search/index-runs.js';
import { writeHead } from './write-run.js';

export interface BackgroundOptions extends RetentionParts {
  /** `null`: runs and event ids are kept forever. */
  readonly retention: Retention | null;
  /** How long event ids are remembered; `null` if the store expires them itself. */
  readonly eventIdMs: number | null;
}

/** Time between looks for full blocks, and between steps of indexing older runs. */
const LOOK_MS = 5_000;
const INDEX_PAUSE_MS = 50;
/** Time between sweeps. Event ids are scanned one step at a time. */
const SWEEP_MS = 10 * 60_000;
const IDS_MS = 5_000;
const SWEEP_PAUSE_MS = 200;

/**
 * What a storage does in the background until it is stopped: indexes and counts the runs of older versions, seals full blocks of the
 * index, and deletes what retention no longer keeps. What fails is logged and tried again.
 */
export function startBackground(options: BackgroundOptions): () => Promise<void> {
  const { reads, writer, logger, retention, eventIdMs } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  const pause = (ms: number) => systemClock.sleep(ms, signal, true).catch(() => {});
  const stepPause = (ms: number) => async () => {
    await pause(ms);
    signal.throwIfAborted();
  };
  const repeat = async (ms: number, failure: string, work: () => Promise<'done' | undefined>) => {
    while (!signal.aborted) {
      const result = await work().catch((error) => {
        if (!signal.aborted) logger.warn({ err: error }, failure);
      });
      if (result === 'done') return;
      await pause(ms);
    }
  };
  const mayDelete = watchClock(options);

  let indexed = false;
  const indexing = repeat(LOOK_MS, 'indexing runs failed; retrying', async () => {
    if (!indexed) {
      const runs = await indexRuns({ reads, writer, pause: stepPause(INDEX_PAUSE_MS) });
      if (runs > 0) logger.info({ runs }, 'indexed the stored runs for searches');
      indexed = true;
    }
    await sealBlocks(writer);
    return undefined;
  });
  const sweeping = async () => {
    await repeat(IDS_MS, 'counting the runs failed; retrying', async () => {
      const runs = await countRuns(options, stepPause(SWEEP_PAUSE_MS));
      if (runs > 0) logger.info({ runs }, 'counted the stored runs for quotas');
      return 'done';
    });
    if (retention === null) return;
    await pause(SWEEP_MS);
    await repeat(SWEEP_MS, SWEEP_FAILED, async () => {
      if (await mayDelete()) await sweepRuns(options, retention, stepPause(SWEEP_PAUSE_MS));
      return undefined;
    });
  };
  const forgetting = async () => {
    if (eventIdMs === null || retention === null) return;
    let from = 'k/';
    await pause(IDS_MS);
    await repeat(IDS_MS, SWEEP_FAILED, async () => {
      if (await mayDelete()) from = await sweepEventIds(options, from, eventIdMs);
      return undefined;
    });
  };
  const all = Promise.all([indexing, sweeping(), forgetting()]);
  return async () => {
    stopped.abort();
    await all;
  };
}

const SWEEP_FAILED = 'the retention sweep failed; retrying';

const DAY_MS = 24 * 60 * 60_000;
/** Between two writes of the time. */
const NOTE_MS = 10 * 60_000;

export interface ClockWatchParts extends Pick<RetentionParts, 'reads' | 'writer' | 'now' | 'logger'> {
  /** Milliseconds that nobody can set. */
  readonly steady?: () => number;
}

/**
 * Whether retention may delete now. After the clock went forward by more than a day, it waits for a day: a wrong clock must not delete
 * all that seems old. Also after a pause as long, of the machine or of core, which looks the same.
 */
export function watchClock(parts: ClockWatchParts): () => Promise<boolean> {
  const { reads, writer, now, logger, steady = () => performance.now() } = parts;
  let last: { readonly wall: number; readonly steady: number } | null = null;
  let heldUntil = Number.NEGATIVE_INFINITY;
  let noted = Number.NEGATIVE_INFINITY;
  return async () => {
    const at = { wall: now(), steady: steady() };
    if (last === null) {
      const [swept] = await reads.getMany([keys.swept]);
      last = { wall: swept === undefined ? at.wall : Number(swept), steady: at.steady };
    }
    const ahead = at.wall - last.wall - (at.steady - last.steady);
    last = at;
    if (ahead > DAY_MS) {
      heldUntil = at.steady + DAY_MS;
      const days = Math.round(ahead / DAY_MS);
      logger.warn(
        { days },
        'the clock went forward, so retention deletes nothing for a day. Check the clock',
      );
    }
    if (at.steady < heldUntil) return false;
    if (Math.abs(at.wall - noted) >= NOTE_MS) {
      noted = at.wall;
      await writer.write(async (tx) => tx.put(keys.swept, String(at.wall)));
    }
    return true;
  };
}

/** Runs counted in one write. */
const STEP = 100;

/**
 * Counts the runs that an older version wrote, once, in small steps with `pause` between them. A run that changes
 * meanwhile is counted by that change. Returns how many it counted.
 */
export async function countRuns(
  { reads, writer }: Pick<RetentionParts, 'reads' | 'writer'>,
  pause: () => Promise<void>,
): Promise<number> {
  const [done] = await reads.getMany([keys.counted]);
  if (done !== undefined) return 0;
  let counted = 0;
  for await (const found of walkList(reads, keys.activity(scope(), ''), STEP)) {
    counted += await countStep(
      writer,
      found.map(([key]) => key.slice(key.lastIndexOf('/') + 1)),
    );
    await pause();
  }
  await writer.write(async (tx) => tx.put(keys.counted, '1'));
  return counted;
}

function countStep(writer: RetentionParts['writer'], ids: readonly string[]): Promise<number> {
  return writer.write(async (tx) => {
    const ledger = quotaLedger(tx);
    let counted = 0;
    const texts = await tx.getMany([...ids.map(keys.head), ...ids.map(keys.event)]);
    for (const at of ids.keys()) {
      const [headText, eventText] = [texts[at], texts[ids.length + at]];
      const head = headText === undefined ? null : decode<RunHead>(headText, 'run');
      if (head === null || head.tombstone || head.kept !== undefined || eventText === undefined) continue;
      const owner = ownerOf(head);
      const kept = keptOf(owner, eventText, head.log);
      await writeHead(tx, head, { ...head, kept });
      await ledger.load(owner);
      ledger.add(owner, keptCounts(head.run.state, kept.bytes));
      counted += 1;
    }
    ledger.write();
    return counted;
  });
}
