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
import { deadLetterNumber, deadLetterNumbers } from './dead-letter-numbers.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { clipped, oneLine, printJson, tableText } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { CONFIG_FLAG, settingFlags } from './server-flags.js';

export const usage: CommandUsage = {
  forms: [
    'spool [list] [--limit N] [flags]',
    'spool show NUMBER [flags]',
    'spool resend NUMBER…|--all [flags]',
    'spool drop NUMBER…|--all [flags]',
  ],
  flags: {
    all: { meaning: 'resend, drop: every dead letter' },
    limit: { value: 'N', meaning: 'list: at most N of each kind (default 50)' },
    ...settingFlags(['dataDirectory']),
    ...CONFIG_FLAG,
  },
  notes: [
    'Run it on the edge’s machine; core may be down. A dead letter is a delivery that core rejected as invalid. Resend it once core can read it; it gets a new number. Waiting deliveries are sent automatically and cannot be dropped.',
  ],
};

const WAIT_MS = 10_000;
const LIST = 'culprit spool list';

/** Reads the spool directly, and changes it through the edge if one is running. */
export async function run(flags: ReadFlags): Promise<number> {
  const [verb = 'list', ...numbers] = flags.positionals;
  const directory = spoolDirectory(flags);
  if (verb === 'list' && numbers.length === 0) return list(directory, flags);
  if (verb === 'show' && numbers.length === 1)
    return show(directory, deadLetterNumber(numbers[0] ?? '', LIST));
  if (verb === 'resend' || verb === 'drop') return act(directory, verb, numbers, flags);
  throw usageError('Use culprit spool [list], show NUMBER, resend NUMBER…|--all or drop NUMBER…|--all.');
}

async function list(directory: string, flags: ReadFlags): Promise<number> {
  const most = flags.count('limit', 50, 1_000_000);
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
      `${more > 0 ? `; ${more} not shown (--limit)` : ''}\n`,
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
  const sequences = deadLetterNumbers(flags, numbers, `culprit spool ${kind}`, LIST);
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
