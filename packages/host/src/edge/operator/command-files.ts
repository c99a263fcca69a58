import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@culprit/core';
import * as v from 'valibot';
import { replaceFile } from '../spool/state-files.js';
import {
  type CommandResult,
  commandResultSchema,
  type OperatorCommand,
  operatorCommandSchema,
} from './commands.js';
import type { Operator } from './operator.js';

const FOLDER = 'operator';
const COMMAND = '.command.json';
const RESULT = '.result.json';
const LOOK_MS = 500;

/**
 * Runs commands from files next to the spool, for when core is down. Each file is answered by a file. Returns a
 * function that stops it.
 */
export function watchCommandFiles(
  spoolDirectory: string,
  operator: Operator,
  logger: Logger,
): () => Promise<void> {
  const directory = join(spoolDirectory, FOLDER);
  const stop = new AbortController();
  const look = async () => {
    const names = await readdir(directory).catch(() => []);
    for (const name of names.filter((one) => one.endsWith(COMMAND))) {
      const path = join(directory, name);
      const command = v.safeParse(operatorCommandSchema, await readJson(path));
      const id = name.slice(0, -COMMAND.length);
      const result: CommandResult =
        command.success && command.output.id === id
          ? await operator.run(command.output)
          : { id, ok: false, detail: 'Unknown command.' };
      await replaceFile(directory, `${id}${RESULT}`, JSON.stringify(result), false);
      await rm(path, { force: true });
    }
  };
  let reported = '';
  const report = (error: unknown) => {
    // The same failure would repeat twice a second.
    if (String(error) !== reported) logger.warn({ error }, 'a command file could not be read or answered');
    reported = String(error);
  };
  const running = (async () => {
    while (!stop.signal.aborted) {
      await look().catch(report);
      await delay(LOOK_MS, undefined, { signal: stop.signal, ref: false }).catch(() => {});
    }
  })();
  return async () => {
    stop.abort();
    await running;
  };
}

/** Leaves a command for the edge that uses this spool and waits for its result; `null` if none arrives. */
export async function leaveCommand(
  spoolDirectory: string,
  command: OperatorCommand,
  waitMs: number,
): Promise<CommandResult | null> {
  const directory = join(spoolDirectory, FOLDER);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await replaceFile(directory, `${command.id}${COMMAND}`, JSON.stringify(command), false);
  const path = join(directory, `${command.id}${RESULT}`);
  for (const until = performance.now() + waitMs; performance.now() < until; await delay(50)) {
    const result = v.safeParse(commandResultSchema, await readJson(path));
    if (!result.success) continue;
    await rm(path, { force: true });
    return result.output;
  }
  return null;
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}
