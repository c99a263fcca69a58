import type { OpenStore } from '@culprit/connectors/storage';
import type { HistoryEntry } from '@culprit/core';
import { readChain } from '@culprit/core/internal/pipeline/history-chain';
import { countRunIds, runIds as everyRunId } from '@culprit/core/internal/store/transfer/transfer';
import { historyChecker } from '../audit/check-histories.js';
import { knownAuditKey } from '../config/generated-secrets.js';
import { jsonText, print } from '../log/terminal.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { clipped, printJson } from './print.js';
import { progressOn } from './progress.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { STORAGE_FLAGS, storageConfig, withStorage } from './storage-flags.js';

export const usage: CommandUsage = {
  forms: ['audit verify [flags]', 'audit export [flags]'],
  flags: {
    ...STORAGE_FLAGS,
    run: { value: 'RUN', meaning: 'only this run' },
    'sealed-since': {
      value: 'TIME',
      meaning: 'verify: accept entries without a seal from before this time, when AUDIT_KEY was first set',
    },
  },
  notes: [
    'verify detects entries that were edited, removed, reordered, cut off or stripped of their seal, with AUDIT_KEY or audit.key in the data directory. Erased names and reasons are reported as erased. It works while core runs.',
    'export prints every entry as one line of JSON.',
  ],
};

/** Exit code 1 if anything was changed. */
export async function run(flags: ReadFlags): Promise<number> {
  const [verb, ...rest] = flags.positionals;
  if ((verb !== 'verify' && verb !== 'export') || rest.length > 0)
    throw usageError('Use culprit audit verify or culprit audit export.');
  const config = storageConfig(flags);
  return withStorage(config, true, async (store) => {
    if (verb === 'export') return exportHistory(store, flags.text('run'));
    const key = knownAuditKey(config);
    if (key === null) {
      throw new CommandFailure('No audit key found. Set AUDIT_KEY to the key that core uses.', EXIT.failed);
    }
    return verify(store, key, flags);
  });
}

async function exportHistory(store: OpenStore, only: string | null): Promise<number> {
  for await (const runId of runIds(store, only)) {
    for (const entry of await store.runHistory.history(runId)) {
      const line: HistoryEntry & { readonly run_id: string } = { run_id: runId, ...entry };
      if (!print(`${jsonText(line)}\n`))
        await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
  }
  return EXIT.done;
}

async function verify(store: OpenStore, key: string, flags: ReadFlags): Promise<number> {
  const json = flags.has('json');
  const progress = progressOn(process.stderr, !json);
  const all = await countRunIds(store.reads);
  const sealedSince = timeOf(flags.text('sealed-since'));
  const checker = historyChecker(key, sealedSince);
  let seen = 0;
  for await (const run_id of runIds(store, flags.text('run'))) {
    const chain = await readChain(store, run_id);
    if (chain === null) continue;
    checker.add(chain);
    progress.at(++seen, all);
  }
  progress.end();
  const { findings, ...total } = checker.result();
  const loss = await store.loss();
  if (json) printJson({ verified: findings.length === 0, ...total, findings, loss });
  else {
    if (loss !== null) print(`The storage lost data: ${clipped(loss, 300)}.\n`);
    for (const { run_id, kind, detail } of findings) {
      print(`${kind.padEnd(9)}  ${run_id}  ${clipped(detail, 200)}\n`);
    }
    const unsealed =
      total.unsealed > 0
        ? `; ${total.unsealed} from before ${sealedSince} have no seal and cannot be verified`
        : '';
    const result = findings.length === 0 ? 'verified' : `checked, ${findings.length} changes found`;
    print(`${total.entries} entries of ${total.runs} runs ${result}; ${total.erased} erased${unsealed}.\n`);
  }
  return findings.length === 0 ? EXIT.done : EXIT.failed;
}

function timeOf(text: string | null): string | null {
  if (text === null) return null;
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw usageError(`--sealed-since ${text} is not a time. Use ISO 8601, such as 2026-11-22.`);
  return time.toISOString();
}

async function* runIds(store: OpenStore, only: string | null): AsyncGenerator<string> {
  if (only !== null) {
    if ((await store.runStore.get(only)) === null) throw new CommandFailure('Run not found.', EXIT.notFound);
    yield only;
    return;
  }
  const seen = new Set<string>();
  for await (const runId of everyRunId(store.reads)) {
    if (!seen.has(runId)) yield runId;
    seen.add(runId);
  }
}
