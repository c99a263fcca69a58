import type { ModelStatus } from '@culprit/client';
import { print, styleFor } from '../log/terminal.js';
import { CLIENT_FLAGS, connect } from './client-flags.js';
import { EXIT, usageError } from './exit-codes.js';
import { clipped, printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: ['model [flags]'],
  flags: CLIENT_FLAGS,
  notes: [
    'Core probes its model at start, and when another version of it answers. This shows the result and asks the model nothing. `culprit doctor` probes the model of this machine’s settings.',
  ],
};

const STATES: Readonly<Record<ModelStatus['state'], string>> = {
  usable: 'usable',
  unusable: 'gives no usable answer; explanations are deterministic',
  unreachable: 'its latest probe failed, and is repeated',
  probing: 'is being probed',
  not_probed: 'was not probed',
};

/** Exit code 1 if the model is unusable or unreachable. */
export async function run(flags: ReadFlags): Promise<number> {
  if (flags.positionals.length > 0) throw usageError('culprit model takes only flags.');
  const model = (await connect(flags).getModel()).model;
  if (flags.has('json')) printJson({ model });
  else if (model === null) print('No model is configured. Explanations are deterministic.\n');
  else printModel(model);
  const failed = model?.state === 'unusable' || model?.state === 'unreachable';
  return failed ? EXIT.failed : EXIT.done;
}

function printModel({ model, version, explainer, state, reason, probed_at, limits }: ModelStatus): void {
  const style = styleFor(process.stdout);
  const named = version === null ? '' : ` (${clipped(version, 80)})`;
  print(`${style('bold', clipped(model, 80))}${named} by ${clipped(explainer, 40)}: ${STATES[state]}\n`);
  if (reason !== null) print(`  ${clipped(reason, 400)}\n`);
  for (const { holds, detail } of limits) print(`  ${markOf(holds, style)}  ${clipped(detail, 200)}\n`);
  if (probed_at !== null) print(`  ${style('dim', `probed ${clipped(probed_at, 40)}`)}\n`);
}

function markOf(holds: boolean | null, style: ReturnType<typeof styleFor>): string {
  if (holds === null) return style('dim', 'unknown ');
  return holds ? style('green', 'holds   ') : style('yellow', 'degraded');
}
