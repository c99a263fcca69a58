import { join } from 'node:path';
import { ApiError, createClient, type Erasure, erasureSettled } from '@culprit/client';
import { isCulpritError } from '@culprit/core';
import { erasePersonFromSpool } from '../edge/spool/erase-person.js';
import { clientConfig } from './client-flags.js';
import type { Eraser, Report } from './eraser.js';
import { CommandFailure, EXIT, exitCodeOf } from './exit-codes.js';
import { progressOn } from './progress.js';
import type { ReadFlags } from './read-flags.js';

/** Lets a running core erase; `null` if none answers and `--url` does not name one. */
export async function eraserOverCore(flags: ReadFlags, person: string): Promise<Eraser | null> {
  const { core, token, config } = clientConfig(flags);
  const api = createClient({ url: core.url, token });
  try {
    await api.with({ retries: 0 }).getSession();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 0 && flags.text('url') === null) return null;
    if (error.status === 401) throw refused(core.url);
    throw error;
  }
  const spool = join(config.dataDirectory, 'spool');
  let counted: Erasure | null = null;
  const settled = async ({ erasure_id }: Erasure): Promise<Erasure> => {
    const progress = progressOn(process.stderr, !flags.has('json'));
    const over = await erasureSettled(api, erasure_id, ({ looked_at, runs }) => progress.at(looked_at, runs));
    progress.end();
    if (over.state !== 'failed') return over;
    const code = over.error ?? 'internal';
    throw new CommandFailure(`The erasure failed: ${code}. Core’s log has details.`, exitCodeOf(code), code);
  };
  const count = async () => {
    counted = await settled(await api.countErasure({ person }));
    return counted;
  };
  return {
    count: async () => ({ ...(await count()).found, spool: await erasePersonFromSpool(spool, person, true) }),
    async erase(unseen) {
      let next = counted ?? (await count());
      do {
        next = await settled(
          await api.erasePerson({ erasure_id: next.erasure_id, person, digest: next.digest ?? '' }),
        );
      } while (next.state === 'changed' && unseen);
      if (next.state === 'changed') throw changed();
      return { ...next.found, ...(await eraseSpool(spool, person)) };
    },
  };
}

/** The spool of this machine's edge. */
async function eraseSpool(
  directory: string,
  person: string,
): Promise<Pick<Report, 'spool' | 'spool_in_use'>> {
  const counted = await erasePersonFromSpool(directory, person, true);
  if (counted === 0) return { spool: 0 };
  try {
    return { spool: await erasePersonFromSpool(directory, person) };
  } catch (error) {
    if (!isCulpritError(error)) throw error;
    return { spool: counted, spool_in_use: true };
  }
}

function refused(url: string): CommandFailure {
  const text = `A core answers at ${url}, but refuses the token. Set CULPRIT_TOKEN for it, or pass --data or --storage for the storage of a stopped core.`;
  return new CommandFailure(text, EXIT.refused, 'unauthenticated');
}

function changed(): CommandFailure {
  const text = 'More names the person than was counted, or less. Nothing was erased. Count again.';
  return new CommandFailure(text, EXIT.conflict, 'erasure_changed');
}
