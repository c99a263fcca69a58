import { print } from '../log/terminal.js';
import { connect } from './client-flags.js';
import { EXIT } from './exit-codes.js';
import { oneLine, printJson, tableText } from './print.js';
import type { ReadFlags } from './read-flags.js';

/** The erasures of a running core, newest first. They do not say who was erased. */
export async function listErasures(flags: ReadFlags): Promise<number> {
  const erasures = (await connect(flags).listErasures()).erasures;
  if (flags.has('json')) printJson({ erasures });
  else if (erasures.length === 0) print('No erasures.\n');
  else
    print(
      tableText(
        erasures.map(({ erasure_id, state, error, by, started_at, ended_at, found }) => [
          erasure_id,
          error === null ? state : `${state}: ${error}`,
          `by ${oneLine(by)}`,
          started_at,
          ended_at === null ? 'not ended' : `ended ${ended_at}`,
          `${found.runs} runs`,
          `${found.fields} texts`,
        ]),
      ),
    );
  return EXIT.done;
}
