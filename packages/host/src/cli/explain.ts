import type { Explanation } from '@culprit/core/connector';
import { print, styleFor } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { wrapped } from './help-text.js';
import { clipped, printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = { forms: ['explain RUN... [flags]'], flags: CLIENT_FLAGS };

/** Width of what is written to a file or a pipe. */
const COLUMNS_OF_FILES = 120;

export async function run(flags: ReadFlags): Promise<number> {
  if (flags.positionals.length === 0) throw usageError('A run is missing: culprit explain RUN.');
  const api = connect(flags);
  const found: object[] = [];
  for (const id of flags.positionals) {
    const { title, explanation } = await api.getRun({ run_id: id });
    if (!explanation)
      throw new CommandFailure(`${id} has no explanation yet. Approve Gate 1 first.`, EXIT.notFound);
    found.push({ run_id: id, title, explanation });
    if (!flags.has('json')) printExplanation(id, title, explanation);
  }
  if (flags.has('json')) printJson(found);
  return EXIT.done;
}

function printExplanation(id: string, title: string, { source, model, claims, note }: Explanation): void {
  const style = styleFor(process.stdout);
  const by = source === 'template' ? 'template' : clipped(model ?? 'model', 80);
  print(`${style('bold', id)}  ${clipped(title, 100)}\n\n  ${style('cyan', by)}\n`);
  for (const [index, { text, cites }] of claims.entries()) {
    printWrapped(`  ${index + 1}. `, clipped(text, 400));
    for (const { evidence, quote } of cites)
      print(`     ${style('dim', `${clipped(evidence, 60)}: ${clipped(quote, 80)}`)}\n`);
  }
  if (note !== null) printWrapped('  ', clipped(note, 400));
  print('\n');
}

/** Lines after the first are indented by as much. */
function printWrapped(start: string, text: string): void {
  const room = Math.max(20, (process.stdout.columns ?? COLUMNS_OF_FILES) - start.length);
  const [first = '', ...rest] = wrapped(text, room);
  print(
    [start + first, ...rest.map((line) => ' '.repeat(start.length) + line)]
      .map((line) => `${line}\n`)
      .join(''),
  );
}
