import type { CoreApi } from '../client/core-api.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { clipped, printJson, styleFor } from './print.js';
import { type CommandUsage, readFlags } from './read-flags.js';

export const VERIFY_USAGE: CommandUsage = {
  name: 'verify',
  summary: 'derive a published issue again and compare it, byte for byte, with what stands on the code host.',
  forms: ['verify RUN|ISSUE_URL [flags]'],
  flags: CLIENT_FLAGS,
  notes: [
    'evidence: the evidence alone gives the machine’s draft again. edits: every edit by a reviewer starts from the draft',
    'before it. signature: a Gate 2 decision signed exactly this text. title, body, labels: it stands there unchanged.',
  ],
};

/** Exit code 1 where any of it does not hold. */
export async function verify(argv: string[]): Promise<number> {
  const flags = readFlags(argv, VERIFY_USAGE);
  if (flags === null) return EXIT.done;
  const [wanted, ...rest] = flags.positionals;
  if (wanted === undefined || rest.length > 0)
    throw usageError('Say which issue: culprit verify RUN|ISSUE_URL.');
  const api = connect(flags);
  const runId = /^https?:/.test(wanted) ? await runOf(api, wanted) : wanted;
  const proof = await api.verify(runId);
  if (flags.has('json')) printJson(proof);
  else {
    const style = styleFor(process.stdout);
    for (const { name, ok, detail } of proof.steps) {
      const mark = ok ? style('green', 'ok  ') : style('red', 'FAIL');
      process.stdout.write(`${mark}  ${name.padEnd(9)}  ${clipped(detail, 200)}\n`);
    }
    const said = proof.verified
      ? 'is what its evidence and its signature say'
      : 'is NOT what was derived and signed';
    process.stdout.write(`\n${proof.issue_url} ${said}.\n`);
  }
  return proof.verified ? EXIT.done : EXIT.failed;
}

/** The run that published this address. */
async function runOf(api: CoreApi, url: string): Promise<string> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await api.runs({
      state: 'published',
      limit: 200,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const run = page.runs.find(({ publication }) => publication?.issue_url === url.replace(/[/#?]*$/, ''));
    if (run !== undefined) return run.run_id;
    cursor = page.next;
  }
  throw new CommandFailure(`No run here published ${clipped(url, 200)}.`, EXIT.notFound);
}
