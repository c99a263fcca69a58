import { storage } from '@culprit/connectors/storage';
import {
  type Check,
  type Connector,
  type CulpritError,
  createEngine,
  isCulpritError,
  silentLogger,
} from '@culprit/core';
import { composeCore } from '../compose/core-parts.js';
import { composeTrackers } from '../compose/edge-trackers.js';
import { modelInWords } from '../compose/explainers.js';
import { type LoadedConnector, loadExternalConnectors } from '../compose/external-connectors.js';
import { chatInWords } from '../compose/notifiers.js';
import { type Config, urlOf } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import {
  checkClock,
  checkDiskSync,
  checkPort,
  checkSecrets,
  checkSpace,
  checkStorage,
} from './doctor-machine.js';
import { checkRepositories } from './doctor-repository.js';
import { EXIT } from './exit-codes.js';
import { plain, printJson } from './print.js';
import { readServerFlags } from './server-flags.js';

/**
 * Checks configuration, machine and connectors; each line says what was found, or what is wrong and how to mend it.
 * Resolves with 1 if something must be mended; warnings alone are 0.
 */
export async function doctor(argv: string[]): Promise<number> {
  const summary = 'is the configuration sound, and can every connector work?';
  const json = argv.includes('--json');
  const rest = argv.filter((argument) => argument !== '--json');
  const flags = readServerFlags(rest, { name: 'doctor', summary });
  if (flags === null) return EXIT.done;
  const { config } = loadConfig({ flags, role: 'up', onlyLook: true });
  const checks = await awake(() => checkAll(config));
  const ok = checks.every((check) => check.ok || check.optional === true);
  if (json) printJson({ ok, checks: checks.map((check) => ({ ...check, status: statusOf(check) })) });
  else printChecks(checks);
  return ok ? EXIT.done : EXIT.failed;
}

const LONGEST_MS = 60_000;

/** Node's fetch may keep neither its promise nor the process where a server hangs up at once; the checks' own limits do then. */
async function awake<T>(work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => {}, LONGEST_MS);
  return work().finally(() => clearTimeout(timer));
}

async function checkAll(config: Config): Promise<readonly Check[]> {
  const edge = await checkPort('edge port', config.host, config.edgePort);
  const { running, ...core } = await checkPort('core port', config.host, config.corePort);
  const disk = checkDiskSync(config);
  const usable = disk.ok || disk.optional === true;
  return [
    { name: 'configuration', ok: true, detail: `read; data in ${config.dataDirectory}` },
    ...config.warnings.map((detail): Check => ({ name: 'environment', ok: false, detail, optional: true })),
    ...checkSecrets(config),
    await checkClock(config, Date.now),
    disk,
    ...(usable ? [checkSpace(config)] : []),
    ...checkStorage(config),
    { name: edge.name, ok: edge.ok, detail: edge.detail },
    core,
    ...(await checkRepositories(config)),
    { name: 'model', ok: true, detail: modelInWords(config) },
    { name: 'chat', ok: true, detail: chatInWords(config) },
    ...(await checkConnectors(config, running, usable)),
  ];
}

async function checkConnectors(config: Config, running: boolean, usable: boolean): Promise<readonly Check[]> {
  try {
    const own = await loadExternalConnectors(config.connectors);
    await composeTrackers(config, silentLogger, new AbortController().signal, own);
    return await askConnectors(config, own, running, usable);
  } catch (error) {
    if (!isCulpritError(error)) throw error;
    return [{ name: 'engine', ok: false, detail: error.message }];
  }
}

/** A storage in files belongs to one process: where another one has it, it is left to that one. */
async function askConnectors(
  config: Config,
  own: readonly LoadedConnector[],
  running: boolean,
  usable: boolean,
): Promise<readonly Check[]> {
  const publicUrl = config.publicUrl ?? urlOf(config.host, config.corePort);
  const connectors = composeCore(config, own, true).connectors(publicUrl);
  if (!usable) {
    const others = connectors.filter(({ id }) => id !== 'outbox');
    const missing: Check = { name: 'storage', ok: false, detail: 'not opened: see disk sync' };
    return [missing, ...(await askWithout(others, config)).slice(1)];
  }
  if (running) return askWithout(connectors, config, 'left to the core that runs; see its /readyz');
  try {
    return await ask(connectors, config);
  } catch (error) {
    if (!isCulpritError(error, 'storage_unavailable')) throw error;
    if (!isHeld(error)) {
      const broken: Check = { name: 'storage', ok: false, detail: error.message };
      return [broken, ...(await askWithout(connectors, config)).slice(1)];
    }
    const detail = `in use by another process, a Culprit that runs from ${config.dataDirectory} on other ports; left to it`;
    return askWithout(connectors, config, detail);
  }
}

const isHeld = ({ cause }: CulpritError): boolean =>
  [cause, cause instanceof Error ? cause.cause : null].some(
    (part) => part instanceof Error && 'code' in part && part.code === 'LEVEL_LOCKED',
  );

/** All connectors but the storage, of which `detail` is said. */
async function askWithout(
  connectors: readonly Connector[],
  config: Config,
  detail = '',
): Promise<readonly Check[]> {
  const others = connectors.map((one) => (one.id === 'storage' ? storage({ url: 'memory:' }) : one));
  const checks = await ask(others, config);
  return [{ name: 'storage', ok: true, detail }, ...checks.filter(({ name }) => name !== 'storage')];
}

async function ask(connectors: readonly Connector[], { projects }: Config): Promise<readonly Check[]> {
  const engine = await createEngine({ connectors, projects });
  try {
    return await engine.check();
  } finally {
    await engine.close();
  }
}

function statusOf({ ok, optional }: Check): 'ok' | 'warn' | 'fail' {
  return ok ? 'ok' : optional === true ? 'warn' : 'fail';
}

function printChecks(checks: readonly Check[]): void {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const words = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' };
  for (const check of checks) {
    process.stdout.write(`${words[statusOf(check)]}  ${check.name.padEnd(width)}  ${plain(check.detail)}\n`);
  }
}
