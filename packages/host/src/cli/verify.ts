import type { Client } from '@culprit/client';
import { print, styleFor } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { CommandFailure, EXIT } from './exit-codes.js';
import { clipped, oneLine, printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: ['verify RUN|ISSUE_URL [flags]'],
  flags: CLIENT_FLAGS,
  notes: [
    'Checks: evidence (the evidence alone gives the generated draft), edits (every edit starts from the draft before it), signature (a Gate 2 decision signed exactly this draft), and title, body and labels (the issue is unchanged).',
  ],
};

/** Exit code 1 if any check fails. */
export async function run(flags: ReadFlags): Promise<number> {
  const wanted = flags.only('A run is missing: culprit verify RUN|ISSUE_URL.');
  const api = connect(flags);
  const runId = /^https?:/.test(wanted) ? await runOf(api, wanted) : wanted;
  const proof = await api.verify(runId);
  if (flags.has('json')) printJson(proof);
  else {
    const style = styleFor(process.stdout);
    for (const { name, ok, detail } of proof.steps) {
      const mark = ok ? style('green', 'ok  ') : style('red', 'FAIL');
      print(`${mark}  ${name.padEnd(9)}  ${clipped(detail, 200)}\n`);
    }
    if (proof.edited !== undefined)
      print(
        `\nLast edited ${proof.edited.at} by ${clipped(proof.edited.by ?? 'an account that is gone', 60)}.\n`,
      );
    const matched = proof.erased_at === undefined ? 'its evidence and signature' : 'its signature';
    const result = proof.verified ? `matches ${matched}` : 'does NOT match its evidence and signature';
    print(`\n${oneLine(proof.issue_url)} ${result}.\n`);
  }
  return proof.verified ? EXIT.done : EXIT.failed;
}

/** The run that published this issue. */
async function runOf(api: Client, url: string): Promise<string> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await api.runs({
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
