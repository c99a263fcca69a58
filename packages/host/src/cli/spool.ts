import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isCulpritError, silentLogger } from '@culprit/core';
import type { Delivery } from '@culprit/core/internal/domain/delivery';
import { leaveCommand } from '../edge/operator/command-files.js';
import type { CommandResult, DeadLetterSummary, OperatorCommand } from '../edge/operator/commands.js';
import { createOperator } from '../edge/operator/operator.js';
import { openDeadLetters } from '../edge/spool/dead-letters.js';
import { openSpool } from '../edge/spool/spool.js';
import { loadPosition } from '../edge/spool/state-files.js';
import { print } from '../log/terminal.js';
import { spooledPayloads } from '../replay/read-spool.js';
import { spoolDirectory } from './client-flags.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { clipped, oneLine, printJson, tableText } from './print.js';
import type { ReadFlags } from './read-flags.js';

const WAIT_MS = 10_000;
const SHOWN = 50;
const LIST = 'culprit edges list --spool';

/** Forms of `culprit edges` with `--spool`: what they do works without core. */
export const SPOOL_FORMS = [
  'edges [list] --spool [--all] [flags]',
  'edges show --spool NUMBER [flags]',
  'edges resend --spool NUMBER…|--all [flags]',
  'edges drop --spool NUMBER…|--all [flags]',
];

/** Reads the spool of this machine's edge directly, and changes it through the edge if one is running. */
export async function runOnSpool(flags: ReadFlags): Promise<number> {
  const [verb = 'list', ...numbers] = flags.positionals;
  const directory = spoolDirectory(flags);
  if (verb === 'list' && numbers.length === 0) return list(directory, flags);
  if (verb === 'show' && numbers.length === 1)
    return show(directory, deadLetterNumber(numbers[0] ?? '', LIST));
  if (verb === 'resend' || verb === 'drop') return act(directory, verb, numbers, flags);
  throw usageError('With --spool: list, show NUMBER, resend NUMBER…|--all or drop NUMBER…|--all.');
}

/** The dead letters that a command names: by number, or all with `--all`. `form`: of the command. `source`: the command that lists them. */
export function deadLetterNumbers(
  flags: ReadFlags,
  numbers: readonly string[],
  form: string,
  source: string,
): number[] | 'all' {
  if (flags.has('all') === numbers.length > 0)
    throw usageError(`Name the dead letters: ${form} NUMBER…, or --all.`);
  return flags.has('all') ? 'all' : numbers.map((text) => deadLetterNumber(text, source));
}

function deadLetterNumber(text: string, source: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw usageError(`${JSON.stringify(text)} is not a number from \`${source}\`.`);
}

async function list(directory: string, flags: ReadFlags): Promise<number> {
  const most = flags.has('all') ? Number.POSITIVE_INFINITY : SHOWN;
  const acknowledged = await loadPosition(directory);
  const waiting: ReturnType<typeof summary>[] = [];
  let count = 0;
  for await (const { payload } of spooledPayloads(directory, acknowledged)) {
    if (count++ < most) waiting.push(summary(JSON.parse(payload.toString())));
  }
  const letters = (await openDeadLetters(directory)).summaries();
  const damaged = await readdir(join(directory, 'quarantine')).catch(() => []);
  if (flags.has('json')) {
    printJson({
      acknowledged,
      waiting: { count, deliveries: waiting },
      dead_letters: { count: letters.length, letters: letters.slice(-most) },
      quarantined: damaged,
    });
    return EXIT.done;
  }
  const rows = [
    ...waiting.map((one) => ['waiting', ...rowOf(one), '']),
    ...letters.slice(-most).map((one) => ['dead', ...rowOf(one), clipped(one.detail, 80)]),
  ];
  const more = count + letters.length - rows.length;
  print(rows.length === 0 ? '' : tableText(rows));
  print(
    `${count} waiting, ${letters.length} dead letters, ${damaged.length} damaged records in quarantine` +
      `${more > 0 ? `; ${more} not shown (--all)` : ''}\n`,
  );
  return EXIT.done;
}

const summary = ({ sequence, received_at, event_id, project, door }: Delivery) => ({
  sequence,
  at: received_at,
  event_id,
  project,
  door,
});

function rowOf({ sequence, at, event_id, project, door }: Omit<DeadLetterSummary, 'detail'>): string[] {
  return [String(sequence), at, door, oneLine(project), clipped(event_id, 40)];
}

async function show(directory: string, sequence: number): Promise<number> {
  const letter = await (await openDeadLetters(directory)).get(sequence);
  if (letter !== null) {
    printJson(letter);
    return EXIT.done;
  }
  for await (const { payload, sequence: found } of spooledPayloads(directory, sequence - 1)) {
    if (found > sequence) break;
    printJson({ sequence, delivery: JSON.parse(payload.toString()) });
    return EXIT.done;
  }
  throw new CommandFailure(`Number ${sequence} is no longer in the spool.`, EXIT.notFound);
}

async function act(
  directory: string,
  kind: 'resend' | 'drop',
  numbers: readonly string[],
  flags: ReadFlags,
): Promise<number> {
  const sequences = deadLetterNumbers(flags, numbers, `culprit edges ${kind} --spool`, LIST);
  const command = { id: `cli_${randomBytes(12).toString('hex')}`, action: { kind, sequences } };
  const result = await execute(directory, command);
  if (flags.has('json')) printJson(result);
  else print(`${result.detail}\n`);
  return result.ok ? EXIT.done : EXIT.failed;
}

/** A running edge executes the command. Without one it is executed here, with the spool locked. */
async function execute(directory: string, command: OperatorCommand): Promise<CommandResult> {
  let own: Awaited<ReturnType<typeof openSpool>>;
  try {
    own = await openSpool({ directory, logger: silentLogger });
  } catch (error) {
    if (!isCulpritError(error, 'configuration')) throw error;
    const result = await leaveCommand(directory, command, WAIT_MS);
    if (result !== null) return result;
    throw new CommandFailure(
      'The edge did not answer within 10 s. It executes the command later.',
      EXIT.unreachable,
    );
  }
  try {
    return await createOperator({ spool: own, logger: silentLogger }).run(command);
  } finally {
    await own.close();
  }
}
