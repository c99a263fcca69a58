import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createDirectory } from '../config/private-files.js';
import { print } from '../log/terminal.js';
import { connectorFiles, KIT_PORTS } from './connector-kit/kit.js';
import { sourceOf } from './connector-kit/source-of.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export const usage: CommandUsage = {
  forms: ['connector new NAME --port PORT [--in DIRECTORY]'],
  flags: {
    port: { value: KIT_PORTS.join('|'), meaning: 'the port that the connector provides' },
    in: { value: 'DIRECTORY', meaning: 'parent of the new folder (default: this directory)' },
  },
  notes: ['Next steps: docs/connectors/write-a-connector.md.'],
};

const NAME = /^[a-z][a-z0-9-]{0,39}$/;

export async function run(flags: ReadFlags): Promise<number> {
  const [verb, name = '', ...more] = flags.positionals;
  if (verb !== 'new' || more.length > 0) throw usageError('Use culprit connector new NAME --port PORT.');
  if (!NAME.test(name))
    throw usageError('NAME must be lower-case letters, digits and dashes, such as my-tracker.');
  if (flags.text('port') === null) throw usageError(`--port is missing. Use one of ${KIT_PORTS.join(', ')}.`);
  const port = flags.oneOf('port', KIT_PORTS, 'tracker');
  const folder = resolve(flags.text('in') ?? '.', `culprit-connector-${name}`);
  if (existsSync(folder)) {
    throw new CommandFailure(`${folder} already exists. Choose another name, or move it.`, EXIT.conflict);
  }
  const missing: string[] = [];
  const files = connectorFiles(name, port, (name) => {
    const found = sourceOf(name, folder);
    if (found.missing !== null) missing.push(found.missing);
    return found.source;
  });
  try {
    createDirectory(folder);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(
      `Cannot create ${folder} (${reason}). Choose another folder with --in.`,
      EXIT.failed,
    );
  }
  if (flags.has('json')) printJson({ folder, files: Object.keys(files) });
  else {
    print(`${folder}\n  ${Object.keys(files).join('\n  ')}\n\n`);
    const [tarball] = missing;
    if (tarball !== undefined)
      print(
        `It installs Culprit from ${tarball}, which is not there. Run "npm run pack" in the clone first.\n`,
      );
    print(`Next: cd ${folder} && npm install && npm test\n`);
  }
  return EXIT.done;
}
