import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConnectorParts } from '@culprit/core/connector';
import { createDirectory } from '../config/private-files.js';
import { print } from '../log/terminal.js';
import { CommandFailure, EXIT, usageError } from './exit-codes.js';
import { printJson } from './print.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { packageVersion } from './version.js';

const KIT_PORTS = ['tracker', 'publisher', 'code-host', 'explainer', 'notifier', 'store'] as const;
type KitPort = (typeof KIT_PORTS)[number];

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

/** A sample configuration for each port in `culprit.json`; secrets come from the environment. */
const CONFIGS: Readonly<Record<KitPort, object>> = {
  tracker: { token: '$MY_TOKEN' },
  publisher: { url: 'https://issues.example.com' },
  'code-host': {},
  explainer: {},
  notifier: { url: 'https://chat.example.com', token: '$MY_TOKEN' },
  store: { path: '.culprit/store.jsonl' },
};
/** The member of `setup` that shows which kind a connector is, if it is not named like its kind. */
const MEMBERS: Partial<Record<KitPort, keyof ConnectorParts>> = {
  'code-host': 'codeHost',
  store: 'runStore',
};

/** The folder of this package, `node_modules/@culprit/host` or `packages/host` of a clone. */
const HOST = fileURLToPath(new URL('../../', import.meta.url));

/** The files of a new connector, by name, made from those of `connector-kit`. All of them are meant to be changed. */
function connectorFiles(
  name: string,
  port: KitPort,
  sourceOf: (name: string) => string,
): Readonly<Record<string, string>> {
  const kit = join(HOST, 'connector-kit');
  const member = MEMBERS[port] ?? port;
  const entry = { package: `culprit-connector-${name}`, config: CONFIGS[port] };
  const files = readdirSync(join(kit, port)).map((file) => [
    file,
    readFileSync(join(kit, port, file), 'utf8')
      .replaceAll('NAME', name)
      .replaceAll('PORT', member),
  ]);
  const readme = readFileSync(join(kit, 'README.md'), 'utf8')
    .replaceAll('NAME', name)
    .replaceAll('KIND', port)
    .replace('CONFIG', () => JSON.stringify({ connectors: [entry] }, null, 2));
  return {
    'package.json': `${JSON.stringify(manifest(name, port, sourceOf), null, 2)}\n`,
    ...Object.fromEntries(files),
    'contract.test.js': readFileSync(join(kit, 'contract.test.js'), 'utf8'),
    'README.md': readme,
  };
}

function manifest(name: string, port: KitPort, sourceOf: (name: string) => string) {
  const ours = ['@culprit/core', ...(port === 'code-host' ? ['@culprit/connectors'] : [])];
  const each = (value: (one: string) => string) => Object.fromEntries(ours.map((one) => [one, value(one)]));
  return {
    name: `culprit-connector-${name}`,
    version: '0.1.0',
    description: `A ${port} for Culprit.`,
    type: 'module',
    keywords: ['culprit-connector'],
    exports: './index.js',
    files: ['index.js'],
    scripts: { test: 'node --test' },
    dependencies: { valibot: '1.5.0' },
    peerDependencies: each(() => `^${packageVersion()}`),
    devDependencies: each(sourceOf),
    engines: { node: '>=20.19' },
  };
}

/**
 * From where a package in `folder` installs one of ours: the tarball from which this installation was made, or the version of a
 * registry. A clone has the tarballs that `npm run pack` makes; `missing` is set until it has run.
 */
function sourceOf(
  name: string,
  folder: string,
): { readonly source: string; readonly missing: string | null } {
  const above = dirname(dirname(HOST));
  const tarball = basename(dirname(HOST)) === '@culprit' ? installedFrom(name, above) : packed(name, above);
  if (tarball === null) return { source: packageVersion(), missing: null };
  return {
    source: `file:${relative(folder, tarball)}`,
    missing: existsSync(tarball) ? null : tarball,
  };
}

function packed(name: string, clone: string): string {
  return join(clone, 'release', `${name.slice(1).replace('/', '-')}-${packageVersion()}.tgz`);
}

/** npm notes in `node_modules` from where it installed each package. `null`: from a registry, or by another package manager. */
function installedFrom(name: string, modules: string): string | null {
  const file = join(modules, '.package-lock.json');
  if (!existsSync(file)) return null;
  const { packages = {} } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly packages?: Readonly<Record<string, { readonly resolved?: string } | undefined>>;
  };
  const resolved = packages[`node_modules/${name}`]?.resolved ?? '';
  return resolved.startsWith('file:') ? join(dirname(modules), resolved.slice('file:'.length)) : null;
}
