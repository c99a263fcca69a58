import { CulpritError, isCulpritError, type Logger } from '@culprit/core';
import type { DeadLetter } from '../spool/dead-letters.js';
import type { Spool } from '../spool/spool.js';
import type { AdjustableLimits } from './adjustable-limits.js';
import type { CommandResult, OperatorCommand } from './commands.js';
import { type OwnDoor, sendTestCrash } from './test-crash.js';

/** Stored results: a repeated command runs once. */
const REMEMBERED = 200;
/** Dead letters read into memory at once. */
const TOGETHER = 50;

export interface Operator {
  /** Never rejects. A repeated command returns its first result. */
  run(command: OperatorCommand): Promise<CommandResult>;
}

export interface OperatorParts {
  readonly spool: Pick<Spool, 'deadLetters' | 'append'>;
  /** Absent if no edge is running: limits cannot be changed then. */
  readonly limits?: AdjustableLimits;
  /** The same: no test crash can be sent then. */
  readonly door?: OwnDoor;
  readonly logger: Logger;
}

/** Runs the commands of operators one at a time. */
export function createOperator({ spool, limits, door, logger }: OperatorParts): Operator {
  const results = new Map<string, Promise<CommandResult>>();
  let last: Promise<unknown> = Promise.resolve();
  const act = async ({ id, action }: OperatorCommand): Promise<string> => {
    switch (action.kind) {
      case 'resend':
        return resend(spool, action.sequences);
      case 'drop': {
        const count = await spool.deadLetters.remove(await chosen(spool, action.sequences));
        return `${count} dropped`;
      }
      case 'test': {
        if (door === undefined) throw new CulpritError('configuration', 'No edge is running here.');
        return sendTestCrash(door, id);
      }
      case 'limits': {
        await limits?.change(action.values);
        return `${Object.keys(action.values).length} changed`;
      }
    }
  };
  const carryOut = async (command: OperatorCommand): Promise<CommandResult> => {
    const { id, action } = command;
    try {
      const detail = await act(command);
      logger.info({ id, kind: action.kind, detail }, 'ran a command of an operator');
      return { id, ok: true, detail };
    } catch (error) {
      logger.error({ id, kind: action.kind, error }, 'an operator’s command failed');
      const detail = isCulpritError(error) ? error.message : 'The command failed. See the edge’s log.';
      return { id, ok: false, detail: detail.slice(0, 500) };
    }
  };
  return {
    run(command) {
      const known = results.get(command.id);
      if (known !== undefined) return known;
      const result = last.then(() => carryOut(command));
      last = result;
      if (results.size >= REMEMBERED) results.delete(results.keys().next().value ?? '');
      results.set(command.id, result);
      return result;
    },
  };
}

/**
 * Appends dead letters to the spool under new sequence numbers, since core's watermark is beyond their old ones. They
 * are removed once they are on disk: a crash in between sends one twice, which core recognises by its event id.
 */
async function resend(spool: OperatorParts['spool'], sequences: readonly number[] | 'all'): Promise<string> {
  const wanted = await chosen(spool, sequences);
  let count = 0;
  for (let from = 0; from < wanted.length; from += TOGETHER) {
    const letters: DeadLetter[] = [];
    for (const sequence of wanted.slice(from, from + TOGETHER)) {
      const letter = await spool.deadLetters.get(sequence);
      if (letter !== null) letters.push(letter);
    }
    if (letters.length > 0) await spool.append(letters.map(withoutSequence));
    count += await spool.deadLetters.remove(letters.map(({ sequence }) => sequence));
  }
  return `${count} of ${wanted.length} sent again`;
}

async function chosen(
  { deadLetters }: OperatorParts['spool'],
  sequences: readonly number[] | 'all',
): Promise<readonly number[]> {
  return sequences === 'all' ? deadLetters.summaries().map(({ sequence }) => sequence) : sequences;
}

function withoutSequence({ delivery }: DeadLetter): Omit<DeadLetter['delivery'], 'sequence'> {
  const { sequence: _, ...rest } = delivery;
  return rest;
}
