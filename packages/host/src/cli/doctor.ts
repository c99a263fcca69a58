import { keyv } from '@culprit/connectors/keyv';
import { type Check, createEngine, isCulpritError, silentLogger } from '@culprit/core';
import { composeCore } from '../compose/core-parts.js';
import { composeTrackers } from '../compose/edge-trackers.js';
import { modelInWords } from '../compose/explainers.js';
import { chatInWords } from '../compose/notifiers.js';
import { type LoadedConnector, loadOwnConnectors } from '../compose/own-connectors.js';
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
  const { config } = loadConfig({ flags, role: 'up' });
  const checks = await checkAll(config);
  const ok = checks.every((check) => check.ok || check.optional === true);
  if (json) printJson({ ok, checks: checks.map((check) => ({ ...check, status: statusOf(check) })) });
  else printChecks(checks);
  return ok ? EXIT.done : EXIT.failed;
}

async function checkAll(config: Config): Promise<readonly Check[]> {
  const edge = await checkPort('edge port', config.host, config.edgePort);
  const { running, ...core } = await checkPort('core port', config.host, config.corePort);
  const disk = checkDiskSync(config);
  return [
    { name: 'configuration', ok: true, detail: `read; data in ${config.dataDirectory}` },
    ...config.warnings.map((detail): Check => ({ name: 'environment', ok: false, detail, optional: true })),
    ...checkSecrets(config),
    await checkClock(config, Date.now),
    disk,
    ...(disk.ok || disk.optional === true ? [checkSpace(config)] : []),
    ...checkStorage(config),
    { name: edge.name, ok: edge.ok, detail: edge.detail },
    core,
    {
      name: 'repository',
      ok: config.repository !== null || Object.values(config.projects).some(({ repository }) => repository),
      detail: config.repository ?? 'none, so nothing is blamed; set REPOSITORY',
    },
    { name: 'model', ok: true, detail: modelInWords(config) },
    { name: 'chat', ok: true, detail: chatInWords(config) },
    ...(await checkConnectors(config, running)),
  ];
}

async function checkConnectors(config: Config, running: boolean): Promise<readonly Check[]> {
  try {
    const own = await loadOwnConnectors(config.connectors);
    await composeTrackers(config, silentLogger, new AbortController().signal, own);
    return await askConnectors(config, own, running);
  } catch (error) {
    if (!isCulpritError(error)) throw error;
    return [{ name: 'engine', ok: false, detail: error.message }];
  }
}

/** A storage in files belongs to one process: where core runs, it is left to core. */
async function askConnectors(
  config: Config,
  own: readonly LoadedConnector[],
  running: boolean,
): Promise<readonly Check[]> {
  const publicUrl = config.publicUrl ?? urlOf(config.host, config.corePort);
  const connectors = composeCore(config, own)
    .connectors(publicUrl)
    .map((connector) => (running && connector.id === 'storage' ? keyv({ url: 'memory:' }) : connector));
  const engine = await createEngine({ connectors, projects: config.projects });
  try {
    const checks = await engine.check();
    if (!running) return checks;
    const left: Check = { name: 'storage', ok: true, detail: 'left to the core that runs; see its /readyz' };
    return [left, ...checks.filter(({ name }) => name !== 'storage')];
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
