import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CulpritError, type EvidenceBundle } from '@culprit/core';
import { acceptedIn } from './accepted.js';
import { readItems } from './read-items.js';
import type { ReplayCase, ReplayItem } from './replay-case.js';
import { isScenario, scenarioCase } from './scenario.js';

export interface InputParts {
  /** All of standard input. */
  readonly stdin: () => Promise<Uint8Array>;
  /** The evidence of a run. */
  readonly evidence: (runId: string) => Promise<EvidenceBundle>;
  /** The local repository for inputs without recorded responses; `null`: no blame. */
  readonly repository: string | null;
}

/** Below the longest text of Node. */
const MAX_BYTES = 256 * 1024 ** 2;

/** Suffix of the accepted digests of an input that is not a scenario. */
const EXPECTED = '.expected.json';
const READABLE = /\.(json|ndjson|jsonl|envelope|bin)$/;

/** The cases of `FILE`, `DIR`, `RUN` or `-`. Rejects with `not_found` or `malformed`. */
export async function readInput(input: string, parts: InputParts): Promise<readonly ReplayCase[]> {
  if (input === '-') return fileCases('standard input', await parts.stdin(), null, parts);
  if (existsSync(input)) return pathCases(input, parts);
  if (/^run_[0-9a-z]{26}$/.test(input)) return [evidenceCase(input, await parts.evidence(input), null)];
  throw new CulpritError('not_found', `No file, folder or run ${input}.`);
}

/** A scenario, a folder of scenarios, a folder of files, a file. */
function pathCases(path: string, parts: InputParts): readonly ReplayCase[] {
  const found = statSync(path);
  if (found.size > MAX_BYTES)
    throw new CulpritError('too_large', `${path} is larger than ${MAX_BYTES / 1024 ** 2} MiB. Split it.`);
  if (!found.isDirectory()) return fileCases(path, readFileSync(path), `${path}${EXPECTED}`, parts);
  if (isScenario(path)) return [scenarioCase(path)];
  const names = readdirSync(path).sort();
  const scenarios = names.map((name) => join(path, name)).filter(isScenario);
  if (scenarios.length > 0) return scenarios.map(scenarioCase);
  const files = names.filter((name) => READABLE.test(name) && !name.endsWith(EXPECTED));
  if (files.length > 0) return files.flatMap((name) => pathCases(join(path, name), parts));
  throw new CulpritError(
    'not_found',
    `${path} contains neither scenarios nor deliveries (.json, .ndjson, .envelope).`,
  );
}

function fileCases(
  name: string,
  bytes: Uint8Array,
  acceptedFile: string | null,
  { repository }: InputParts,
): readonly ReplayCase[] {
  const { items, bundles } = readItems(bytes, name);
  const single = bundles.length === 1 && items.length === 0;
  const evidence = bundles.map((bundle) => evidenceCase(bundle.run_id, bundle, single ? acceptedFile : null));
  if (items.length === 0) return evidence;
  const deliveries: ReplayCase = {
    kind: 'deliveries',
    name: basename(name),
    items,
    at: items.reduce((latest, item) => Math.max(latest, timeOf(item)), 0),
    project: repository === null ? {} : { repository },
    answers: null,
    explanation: null,
    accepted: acceptedFile === null ? null : acceptedIn(acceptedFile),
    acceptedFile,
    folder: null,
  };
  return [deliveries, ...evidence];
}

function evidenceCase(name: string, bundle: EvidenceBundle, acceptedFile: string | null): ReplayCase {
  const accepted = acceptedFile === null ? null : acceptedIn(acceptedFile);
  return { kind: 'evidence', name, bundle, accepted, acceptedFile };
}

function timeOf(item: ReplayItem): number {
  return 'request' in item ? item.receivedAt : Date.parse(item.delivery.received_at);
}
