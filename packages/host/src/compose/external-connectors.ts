import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { constants, Script } from 'node:vm';
import { type Connector, type ConnectorParts, CulpritError, isCulpritError } from '@culprit/core';
import type { ExternalConnector } from '../config/read-connectors.js';

/** A connector that is not ours, ready to be set up. */
export interface LoadedConnector {
  readonly connector: Connector;
  /** What its module says that it brings; `null` where it says nothing. */
  readonly ports: readonly string[] | null;
}

/**
 * Loads connectors by package name or path. A module exports `connector`, a factory from `defineConnector`, and should
 * export `ports`, the names of what it brings: then the edge sets up trackers only, and ours make room.
 */
export async function loadExternalConnectors(
  own: readonly ExternalConnector[],
): Promise<readonly LoadedConnector[]> {
  const loaded: LoadedConnector[] = [];
  for (const one of own) loaded.push(await load(one));
  return loaded;
}

async function load({ package: name, settings, from }: ExternalConnector): Promise<LoadedConnector> {
  const module = await importFrom(name, from);
  const { connector: factory, ports } = module;
  if (typeof factory !== 'function') {
    throw refusal(
      name,
      'exports no "connector". Export the factory that defineConnector made, by this name.',
    );
  }
  const config = settings();
  let connector: unknown;
  try {
    connector = factory(config);
  } catch (cause) {
    if (isCulpritError(cause)) throw cause;
    throw refusal(
      name,
      'exports a "connector" that throws. It must be the factory that defineConnector made.',
      cause,
    );
  }
  if (!isConnector(connector)) {
    throw refusal(name, 'exports a "connector" that defineConnector did not make.');
  }
  return { connector, ports: Array.isArray(ports) ? ports.filter((port) => typeof port === 'string') : null };
}

async function importFrom(name: string, from: string): Promise<Readonly<Record<string, unknown>>> {
  const base = join(from, 'culprit.json');
  let file: string | null = null;
  try {
    file = createRequire(base).resolve(name);
  } catch (cause) {
    // A package whose exports know only `import` is there all the same, and is resolved as import does.
    if (codeOf(cause) !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') {
      throw refusal(name, `is not installed in ${from}. Run there: npm install ${name}`, cause);
    }
  }
  try {
    return await (file === null ? importBeside(base)(name) : import(pathToFileURL(file).href));
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
    throw refusal(name, `cannot be loaded: ${reason}`, cause);
  }
}

/** `import()` as a module in that place would say it. */
function importBeside(filename: string): (name: string) => Promise<Readonly<Record<string, unknown>>> {
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  return new Script('(name) => import(name)', { filename, importModuleDynamically }).runInThisContext();
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

function isConnector(value: unknown): value is Connector {
  if (typeof value !== 'object' || value === null) return false;
  return typeof Reflect.get(value, 'id') === 'string' && typeof Reflect.get(value, 'setup') === 'function';
}

function refusal(name: string, problem: string, cause?: unknown): CulpritError {
  return new CulpritError('configuration', `CONNECTORS: ${name} ${problem}`, { path: 'connectors', cause });
}

/** True for connectors that say so, and for those that say nothing. */
export function mayBring(port: keyof ConnectorParts) {
  return ({ ports }: LoadedConnector): boolean => ports === null || ports.includes(port);
}

/** Only one of each may be there, so one that is not ours takes the place of ours. */
const SINGLE = ['codeHost', 'publisher'] as const;

/** Ours and the others, as core needs them; others stand first, so that their explainers are asked first. */
export function withExternal(
  ours: readonly Connector[],
  own: readonly LoadedConnector[],
): readonly Connector[] {
  const taken = SINGLE.filter((port) => own.some(({ ports }) => ports?.includes(port)));
  const others = own.filter(({ ports }) => ports === null || ports.some((port) => port !== 'tracker'));
  return [
    ...others.map(({ connector }) => connector),
    ...ours.map((connector) => (taken.length === 0 ? connector : without(connector, taken))),
  ];
}

function without(connector: Connector, ports: readonly (typeof SINGLE)[number][]): Connector {
  return {
    id: connector.id,
    async setup(context) {
      const parts = await connector.setup(context);
      const left = Object.entries(parts).filter(([name]) => !ports.some((port) => port === name));
      if (left.length === Object.keys(parts).length) return parts;
      // Its check would speak of what is not used.
      return Object.fromEntries(left.filter(([name]) => name !== 'check'));
    },
  };
}
