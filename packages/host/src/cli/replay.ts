import { resolve } from 'node:path';
import { accept } from '../replay/accepted.js';
import { hostReplayer } from '../replay/against-host.js';
import { createReplayer } from '../replay/in-process.js';
import { readInput } from '../replay/read-input.js';
import { recordAnswers } from '../replay/record-answers.js';
import { replayAll } from '../replay/replay-all.js';
import { type CaseResult, type ReplayCase, UNTIL, type Until } from '../replay/replay-case.js';
import { CLIENT_FLAGS, clientConfig, connect, EDGE_FLAGS } from './client-flags.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { progressOn } from './progress.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { printReplay } from './replay-summary.js';
import { onInterrupt } from './stop-signal.js';

export const usage: CommandUsage = {
  forms: ['replay FILE|DIR|RUN|-… [flags]', 'replay FILE|DIR|-… --url URL [flags]'],
  flags: {
    until: { value: UNTIL.join('|'), meaning: 'how far to take each run (default gate2: to its draft)' },
    times: { value: 'N', meaning: 'replay everything N times; every repetition must give the same result' },
    parallel: { value: 'N', meaning: 'number of cases at once (default 1)' },
    offline: { meaning: 'use only recorded responses' },
    repository: { value: 'PATH', meaning: 'a local git repository, for inputs without recorded responses' },
    update: { meaning: 'accept the results; record the responses in a scenario’s history.json again' },
    'fresh-ids': { meaning: 'with --url: give every crash a new event id, so that it is no duplicate' },
    ...CLIENT_FLAGS,
    ...EDGE_FLAGS,
  },
  notes: [
    'FILE is an SDK envelope, one JSON document, a JSON list or NDJSON. A document is a crash object, a request ({"path", "headers", "body"}), a line from `culprit record`, or an evidence bundle. DIR is a scenario, a folder of scenarios or a folder of files. RUN is replayed from its evidence. - is standard input.',
    'Without --url everything runs in this process: no server, nothing published, nothing stored. With --url deliveries are sent to the doors of a running host, signed with the secrets of this configuration, and gates are approved there up to --until. --until published creates real issues.',
  ],
};

/** Exit code 1 if any result differs. */
export async function run(flags: ReadFlags): Promise<number> {
  if (flags.positionals.length === 0) throw usageError('Nothing to replay: name a FILE, DIR, RUN or -.');
  const until = flags.oneOf<Until>('until', UNTIL, 'gate2');
  const update = flags.has('update');
  const remote = flags.text('url') !== null;
  if (update && (remote || until === 'gate1')) {
    throw usageError('--update needs drafts from this process: remove --url and --until gate1.');
  }
  const cases = await readCases(flags, update);
  const stop = new AbortController();
  const interrupt = () => stop.abort(new CommandFailure('Interrupted.', EXIT.interrupted));
  const ignoreInterrupt = onInterrupt(interrupt);
  const progress = progressOn(process.stderr, !flags.has('json'));
  try {
    const replayCase = remote
      ? hostReplayer({ ...clientConfig(flags), api: connect(flags), until, freshIds: flags.has('fresh-ids') })
      : await createReplayer({ until, offline: flags.has('offline') });
    const summary = await replayAll(cases, replayCase, {
      times: flags.count('times', 1, 1_000_000),
      parallel: flags.count('parallel', 1, 64),
      signal: stop.signal,
      onDone: progress.at,
    });
    progress.end();
    const accepted = update ? acceptAll(cases, summary.results) : 0;
    printReplay(summary, { json: flags.has('json'), accepted });
    return summary.results.some((result) => differs(result, update)) ? EXIT.failed : EXIT.done;
  } finally {
    progress.end();
    ignoreInterrupt();
  }
}

async function readCases(flags: ReadFlags, update: boolean): Promise<readonly ReplayCase[]> {
  const given = flags.text('repository');
  const parts = {
    stdin: readStdin,
    evidence: (runId: string) => connect(flags).getEvidence({ run_id: runId }),
    repository: given === null ? null : resolve(given),
  };
  const cases: ReplayCase[] = [];
  for (const input of flags.positionals) cases.push(...(await readInput(input, parts)));
  if (!update) return cases;
  return Promise.all(cases.map((one) => (one.kind === 'deliveries' ? recordAnswers(one) : one)));
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

function acceptAll(cases: readonly ReplayCase[], results: readonly CaseResult[]): number {
  let accepted = 0;
  for (const [index, one] of cases.entries()) {
    const result = results[index];
    if (result === undefined || one.acceptedFile === null || broken(result)) continue;
    const present = { ...result, runs: result.runs.filter(({ digest }) => digest !== null) };
    accept(one.acceptedFile, present, one.kind === 'deliveries' && one.folder !== null);
    accepted++;
  }
  return accepted;
}

function broken({ runs }: CaseResult): boolean {
  return runs.some(({ verdict }) => verdict === 'failed');
}

/** A difference that `--update` accepted does not count. */
function differs(result: CaseResult, update: boolean): boolean {
  return broken(result) || (!update && result.runs.some(({ verdict }) => verdict === 'different'));
}
