import { createHash, type Hash } from 'node:crypto';
import * as v from 'valibot';
import { isSecretValue } from '../../domain/stored-values.js';
import { CulpritError } from '../../errors/error.js';
import { cleanEvidence } from '../../pipeline/evidence/readable.js';
import { EVIDENCE_FAMILY } from '../../pipeline/evidence-key.js';
import { sha256Hex } from '../../pipeline/hash.js';
import type { KeyValue } from '../key-value.js';
import { recordCheck } from './record-check.js';
import { countRunIds, everything, type Kept } from './transfer.js';

const FORMAT = 'culprit.store/2';

const headSchema = v.strictObject({
  format: v.literal(FORMAT),
  exported_at: v.pipe(v.string(), v.isoTimestamp()),
  /** Approximate number of runs that follow, for a progress bar. */
  runs: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** SHA-256 of the key of the markers; `null` if the storage has none. */
  install_key_sha256: v.nullable(v.string()),
});
/** The first line of an export. */
export type ExportHead = v.InferOutput<typeof headSchema>;

const endSchema = v.strictObject({
  end: v.literal(FORMAT),
  records: v.number(),
  runs: v.number(),
  /** Over all lines before, each with its line break. */
  sha256: v.string(),
});
/** The last line of an export. */
export type ExportEnd = v.InferOutput<typeof endSchema>;

const keptSchema = v.union([
  v.strictObject({ key: v.string(), text: v.string() }),
  v.strictObject({ value: v.string(), text: v.string(), expires: v.pipe(v.number(), v.minValue(0)) }),
]);

/**
 * The lines of an export: a header, one record each, and an end with count and digest. Contains no session and no install
 * key. Rejects with `storage_unavailable` if runs were deleted meanwhile.
 */
export async function* exportLines(
  store: KeyValue,
  { exported_at, installKey }: { readonly exported_at: string; readonly installKey: string | null },
): AsyncGenerator<string> {
  const digest = createHash('sha256');
  const write = (value: object) => {
    const line = JSON.stringify(value);
    digest.update(`${line}\n`);
    return line;
  };
  const head: ExportHead = {
    format: FORMAT,
    exported_at,
    runs: await countRunIds(store),
    install_key_sha256: installKey === null ? null : sha256Hex(installKey),
  };
  yield write(head);
  const check = recordCheck();
  let records = 0;
  for await (const kept of wholeRuns(store)) {
    check.add(kept);
    records += 1;
    yield write(kept);
  }
  let runs: number;
  try {
    runs = check.end();
  } catch (cause) {
    const detail = 'Runs were deleted while they were exported. Export again.';
    throw new CulpritError('storage_unavailable', detail, { cause });
  }
  const end: ExportEnd = { end: FORMAT, records, runs, sha256: digest.digest('hex') };
  yield JSON.stringify(end);
}

/** Evidence of older versions may contain secrets of the repository. */
function cleaned(kept: Extract<Kept, { readonly value: string }>): Kept {
  if (!kept.value.startsWith(EVIDENCE_FAMILY)) return kept;
  // Keyv's form.
  const { value, ...more } = JSON.parse(kept.text) as { readonly value: string };
  return { ...kept, text: JSON.stringify({ value: cleanEvidence(value), ...more }) };
}

/** Excludes secrets, and data written about a run after its head was read. */
async function* wholeRuns(store: KeyValue): AsyncGenerator<Kept> {
  const entries = new Map<string, number>();
  for await (const kept of everything(store)) {
    if ('value' in kept) {
      if (!isSecretValue(kept.value)) yield cleaned(kept);
      continue;
    }
    const [family = '', runId = '', sequence] = kept.key.split('/');
    if (family === 'h') entries.set(runId, (JSON.parse(kept.text) as { entries: number }).entries);
    else if ('del'.includes(family)) {
      const known = entries.get(runId);
      if (known === undefined || (sequence !== undefined && Number(sequence) > known)) continue;
    }
    yield kept;
  }
}

/** Reads the first line of an export. */
export function readHead(line: string): ExportHead {
  const read = v.safeParse(headSchema, jsonOf(line));
  if (read.success) return read.output;
  const old = line.includes('"culprit.store/1"');
  throw malformed(
    old
      ? 'The export was created by an early version and has no checksum. Open the storage with this version and export it again.'
      : `The file is not a Culprit export: its first line does not contain ${FORMAT}.`,
  );
}

/** Reads one record of an export that `checkExport` has checked. */
export function readKept(line: string): Kept | null {
  const read = v.safeParse(keptSchema, jsonOf(line));
  return read.success ? read.output : null;
}

/** Reads a whole export and throws `malformed` unless it is complete, unchanged and made of valid records. */
export async function checkExport(
  lines: AsyncIterable<string>,
): Promise<ExportHead & Pick<ExportEnd, 'records'>> {
  const digest = createHash('sha256');
  const check = recordCheck();
  let head: ExportHead | null = null;
  let end: ExportEnd | null = null;
  let records = 0;
  for await (const line of lines) {
    if (end !== null) throw malformed('The export continues after its last line.');
    if (head === null) head = readHead(line);
    else {
      const kept = readKept(line);
      if (kept === null) {
        end = endOf(line, records + 2);
        continue;
      }
      records += 1;
      check.add(kept);
    }
    digest.update(`${line}\n`);
  }
  if (head === null) throw malformed('The file is empty.');
  if (end === null) throw malformed(`The export is truncated after ${records} records. Use another backup.`);
  checkEnd(end, { records, digest });
  check.end();
  return { ...head, runs: end.runs, records };
}

function endOf(line: string, number: number): ExportEnd {
  const read = v.safeParse(endSchema, jsonOf(line));
  if (read.success) return read.output;
  throw malformed(`Line ${number} of the export is invalid. Use another backup.`);
}

function checkEnd(
  end: ExportEnd,
  { records, digest }: { readonly records: number; readonly digest: Hash },
): void {
  if (end.records !== records)
    throw malformed(`The export has ${records} of ${end.records} records. Use another backup.`);
  if (end.sha256 !== digest.digest('hex'))
    throw malformed('The export was changed after it was made: its digest differs. Use another backup.');
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function malformed(detail: string): CulpritError {
  return new CulpritError('malformed', detail);
}
