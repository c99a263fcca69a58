import { timeLimit } from '@culprit/core/connector';
import { explainFrame } from '@culprit/core/internal/pipeline/locate/explain-frame';
import { namedPaths } from '@culprit/core/internal/pipeline/locate/named-paths';
import { indexTree } from '@culprit/core/internal/pipeline/locate/tree-index';
import { print } from '../log/terminal.js';
import { eventOf, openPlace, PLACE_FLAGS } from './code-place.js';
import { EXIT, usageError } from './exit-codes.js';
import { clipped, printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: ['map PATH [flags]'],
  flags: PLACE_FLAGS,
  notes: [
    'PATH is a path from a stack, such as /srv/app/dist/cart.js, webpack://shop/./src/cart.ts or C:\\app\\Cart.cs.',
  ],
};

/** Exit code 3 if the path maps to no file. */
export async function run(flags: ReadFlags): Promise<number> {
  const path = flags.only('A path is missing: culprit map PATH.');
  const signal = timeLimit(60_000);
  const place = await openPlace(flags, signal);
  try {
    const event = eventOf(flags, { file: path, line: 1 }, null);
    const frame = event.exceptions[0]?.frames[0];
    if (frame === undefined) throw usageError('PATH is empty.');
    const paths = namedPaths([frame], event.platform, place.mappings);
    const tree = await place.codeHost.tree(place.repository, { ...place.hints, paths }, signal);
    const { located, steps } = explainFrame(frame, event.platform, place.mappings, indexTree(tree.paths));
    const { sha, how } = tree.revision;
    if (flags.has('json')) {
      printJson({
        reported: path,
        platform: event.platform,
        path: located?.path ?? null,
        how: located?.how ?? null,
        revision: { sha, how },
        steps,
      });
    } else {
      const all = [
        [
          'revision',
          `${sha.slice(0, 12)}, by ${how}; ${tree.paths.length} files${tree.truncated ? ', truncated' : ''}`,
        ],
        ['platform', event.platform],
        ...steps.map(({ step, detail }) => [step, detail]),
      ];
      for (const [name = '', detail = ''] of all) print(`${name.padEnd(10)}${clipped(detail, 400)}\n`);
    }
    return located === null ? EXIT.notFound : EXIT.done;
  } finally {
    await place.close();
  }
}
