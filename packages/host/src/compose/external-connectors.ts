import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { constants, Script } from 'node:vm';
import { type Connector, CulpritError, isCulpritError } from '@culprit/core';
import type { ConnectorParts } from '@culprit/core/connector';
import type { ExternalConnector } from '../config/structured.js';

/** A third-party connector, ready to be set up. */
export interface LoadedConnector {
  readonly connector: Connector;
  /** The ports that its module declares; `null`: none are declared. */
  readonly ports: readonly string[] | null;
}

/**
 * Loads connectors by package name or path. A module exports `connector`, a factory from `defineConnector`, and should
 * export `ports`, the names of the ports that it provides: then the edge sets up only trackers, and a storage
 * (`runStore`), code host or publisher replaces the built-in one.
 */
export async function loadExternalConnectors(
  external: readonly ExternalConnector[],
): Promise<readonly LoadedConnector[]> {
  const loaded: LoadedConnector[] = [];
  for (const one of external) loaded.push(await load(one));
  return loaded;
}

async function load({ package: name, settings, from }: ExternalConnector): Promise<LoadedConnector> {
  const module = await importFrom(name, from);
  const { connector: factory, ports } = module;
  if (typeof factory !== 'function') {
    throw refusal(
      name,
      'does not export "connector". Export the factory that defineConnector returns under this name.',
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
      'exports a "connector" that throws. It must be the factory that defineConnector returns.',
      cause,
    );
  }
  if (!isConnector(connector)) {
    throw refusal(name, 'exports a "connector" that is not a factory from defineConnector.');
  }
  return { connector, ports: Array.isArray(ports) ? ports.filter((port) => typeof port === 'string') : null };
}

async function importFrom(name: string, from: string): Promise<Readonly<Record<string, unknown>>> {
  const base = join(from, 'culprit.json');
  let file: string | null = null;
  try {
    file = createRequire(base).resolve(name);
  } catch (cause) {
    // The package is installed, but exports only `import`.
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

/** `import()` as seen from a module at that path. */
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

/** True for connectors that declare this port, and for those that declare nothing. */
export function mayProvide(port: keyof ConnectorParts) {
  return ({ ports }: LoadedConnector): boolean => ports?.includes(port) ?? true;
}

/** True only for connectors that declare this port. */
export function provides(port: keyof ConnectorParts) {
  return ({ ports }: LoadedConnector): boolean => ports?.includes(port) ?? false;
}

/** The id of the connector that replaces the storage of `STORAGE_URL`; `null`: none does. */
export function storeOf(external: readonly LoadedConnector[]): string | null {
  return external.find(provides('runStore'))?.connector.id ?? null;
}

/** External connectors come first, so that their explainers are tried first. Those that are only trackers run at the edge. */
export function withExternal(
  builtIn: readonly Connector[],
  external: readonly LoadedConnector[],
): readonly Connector[] {
  const others = external.filter(({ ports }) => ports === null || ports.some((port) => port !== 'tracker'));
  return [...others.map(({ connector }) => connector), ...builtIn];
}
