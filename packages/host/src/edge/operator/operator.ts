import { isCulpritError, type Logger } from '@culprit/core';
import type { DeadLetter } from '../spool/dead-letters.js';
import type { Spool } from '../spool/spool.js';
import type { AdjustableLimits } from './adjustable-limits.js';
import type { CommandResult, OperatorAction, OperatorCommand } from './commands.js';

/** Results remembered: a command that comes twice is done once. */
const REMEMBERED = 200;
/** Letters that are read into memory at once. */
const TOGETHER = 50;

export interface Operator {
  /** Never rejects. A command that was carried out already gives its first result. */
  run(command: OperatorCommand): Promise<CommandResult>;
}

export interface OperatorParts {
  readonly spool: Pick<Spool, 'deadLetters' | 'append'>;
  /** Absent where no edge runs: limits cannot be changed then. */
  readonly limits?: AdjustableLimits;
  readonly logger: Logger;
}

/** Carries out what an operator wants, one command after another. */
export function createOperator({ spool, limits, logger }: OperatorParts): Operator {
  const results = new Map<string, Promise<CommandResult>>();
  let last: Promise<unknown> = Promise.resolve();
  const act = async (action: OperatorAction): Promise<string> => {
    switch (action.kind) {
      case 'resend':
        return resend(spool, action.sequences);
      case 'drop': {
        const count = await spool.deadLetters.remove(await chosen(spool, action.sequences));
        return `${count} dropped`;
      }
      case 'limits': {
        await limits?.change(action.values);
        return `${Object.keys(action.values).length} changed`;
      }
    }
  };
  const carryOut = async ({ id, action }: OperatorCommand): Promise<CommandResult> => {
    try {
      const detail = await act(action);
      logger.info({ id, kind: action.kind, detail }, 'an operator’s command was carried out');
      return { id, ok: true, detail };
    } catch (error) {
      logger.error({ id, kind: action.kind, error }, 'an operator’s command failed');
      const detail = isCulpritError(error) ? error.message : 'It failed in the edge; see its log.';
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
 * Puts letters at the end of the spool, under new numbers: core's watermark has passed their old ones. They are taken
 * off the list once they are on disk, so a crash in between sends one twice, which core knows by its id.
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
