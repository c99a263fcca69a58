import type { Client, Proof } from '@culprit/client';
import { jsonText, print, printError, styleFor } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { CommandFailure, EXIT, type ExitCode, usageError } from './exit-codes.js';
import { failureOf } from './many-runs.js';
import { clipped, oneLine, printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: ['verify RUN|ISSUE_URL... [flags]'],
  flags: CLIENT_FLAGS,
  notes: [
    'Checks: evidence (the evidence alone gives the generated draft), edits (every edit starts from the draft before it), signature (a Gate 2 decision signed exactly this draft), and title, body and labels (the issue is unchanged).',
    'Several are verified one after the other, also if one of them differs or is not found. With --json, each is then one line.',
  ],
};

/** Exit code 1 if any check of any run fails; that of the first failure if one cannot be verified. */
export async function run(flags: ReadFlags): Promise<number> {
  const all = flags.positionals;
  const [only] = all;
  if (only === undefined) throw usageError('A run is missing: culprit verify RUN|ISSUE_URL...');
  const api = connect(flags);
  if (all.length > 1) return verifyEach(api, flags, all);
  const proof = await proofOf(api, only);
  if (flags.has('json')) printJson(proof);
  else printProof(proof);
  return proof.verified ? EXIT.done : EXIT.failed;
}

async function verifyEach(api: Client, flags: ReadFlags, all: readonly string[]): Promise<ExitCode> {
  const lines = flags.has('json');
  let exitCode: ExitCode = EXIT.done;
  for (const [at, wanted] of all.entries()) {
    try {
      const proof = await proofOf(api, wanted);
      if (lines) print(`${jsonText(proof)}\n`);
      else {
        if (at > 0) print('\n');
        print(`${oneLine(proof.run_id)}\n`);
        printProof(proof);
      }
      if (!proof.verified && exitCode === EXIT.done) exitCode = EXIT.failed;
    } catch (error) {
      const failed = failureOf(error);
      // Core is unreachable or refuses the token: that is so for the others, too.
      if (failed === null || failed.stops) throw error;
      if (exitCode === EXIT.done) exitCode = failed.exitCode;
      const { code, detail } = failed;
      if (lines) print(`${jsonText({ run: wanted, verified: false, error: { code, detail } })}\n`);
      else printError(`culprit: ${oneLine(wanted)}: ${detail}\n`);
    }
  }
  return exitCode;
}

function printProof(proof: Proof): void {
  const style = styleFor(process.stdout);
  for (const { name, ok, detail } of proof.steps) {
    const mark = ok ? style('green', 'ok  ') : style('red', 'FAIL');
    print(`${mark}  ${name.padEnd(9)}  ${clipped(detail, 200)}\n`);
  }
  if (proof.edited !== undefined)
    print(`\nLast edited ${proof.edited.at} by ${clipped(proof.edited.by ?? 'a deleted account', 60)}.\n`);
  const matched = proof.erased_at === undefined ? 'its evidence and signature' : 'its signature';
  const result = proof.verified ? `matches ${matched}` : 'does NOT match its evidence and signature';
  print(`\n${oneLine(proof.issue_url)} ${result}.\n`);
}

async function proofOf(api: Client, wanted: string): Promise<Proof> {
  return api.verifyPublication({ run_id: /^https?:/.test(wanted) ? await runOf(api, wanted) : wanted });
}

/** The run that published this issue. */
async function runOf(api: Client, url: string): Promise<string> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await api.listRuns({
      state: 'published',
      limit: 200,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const wanted = url.replace(/[/#?]*$/, '');
    const run = page.runs.find(
      ({ publication }) => publication?.issue_url === wanted || publication?.comment_url === wanted,
    );
    if (run !== undefined) return run.run_id;
    cursor = page.next;
  }
  throw new CommandFailure(`No run published ${clipped(url, 200)}.`, EXIT.notFound);
}
