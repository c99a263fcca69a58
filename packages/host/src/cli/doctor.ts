import { storage } from '@culprit/connectors/storage';
import { type Check, type Connector, createEngine, isCulpritError, silentLogger } from '@culprit/core';
import { composeCore } from '../compose/core-parts.js';
import { composeTrackers } from '../compose/edge-trackers.js';
import { type LoadedConnector, loadExternalConnectors, storeOf } from '../compose/external-connectors.js';
import { isNew } from '../compose/storage.js';
import { type Config, enginePolicy } from '../config/config.js';
import { DOOR_SETTINGS } from '../config/credentials.js';
import type { WithSecrets } from '../config/generated-secrets.js';
import { loadConfig } from '../config/load-config.js';
import { urlOf } from '../config/network.js';
import { SETTINGS } from '../config/settings.js';
import { print } from '../log/terminal.js';
import { billText } from '../server/bill-text.js';
import { passes } from './checks.js';
import { checkMachine, checkServer } from './doctor-machine.js';
import { checkServices } from './doctor-services.js';
import { EXIT } from './exit-codes.js';
import { oneLine, plural, printJson } from './print.js';
import type { ReadFlags } from './read-flags.js';
import { serverUsage, settingsOf } from './server-flags.js';

export const usage = serverUsage('doctor');

/**
 * Checks configuration, machine and connectors. Each line says what was found, or what is wrong and how to fix it.
 * Resolves with 1 if something must be fixed; warnings alone are 0.
 */
export async function run(flags: ReadFlags): Promise<number> {
  const loaded = loadConfig({ flags: settingsOf(flags), role: 'up', readOnly: true, ofHost: true });
  const checks = await checkInstallation(loaded);
  const ok = checks.every(passes);
  if (flags.has('json'))
    printJson({
      ok,
      summary: countsOf(checks),
      checks: checks.map((check) => ({ ...check, status: statusOf(check) })),
    });
  else printChecks(checks);
  return ok ? EXIT.done : EXIT.failed;
}

/** Everything that `culprit doctor` checks. Writes nothing. */
export function checkInstallation(loaded: WithSecrets): Promise<readonly Check[]> {
  return stayAlive(() => checkAll(loaded));
}

const LONGEST_MS = 60_000;
/** A person waits for the answer, so slow services get more time than `/readyz` gives them. */
const CHECK_MS = 30_000;

/** Node's fetch may neither settle nor keep the process alive where a server hangs up at once; the checks' own limits then end it. */
async function stayAlive<T>(work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => {}, LONGEST_MS);
  return work().finally(() => clearTimeout(timer));
}

async function checkAll(loaded: WithSecrets): Promise<readonly Check[]> {
  const { config } = loaded;
  const edge = await checkServer('edge', config);
  const core = await checkServer('core', config);
  const external = await loadExternalConnectors(config.connectors).catch(engineProblem);
  const machine = await checkMachine(config, 'detail' in external ? null : storeOf(external));
  return [
    ...machine.checks,
    edge.check,
    core.check,
    ...(await checkServices(config)),
    checkDoors(loaded),
    { name: 'investigations', ok: true, detail: investigationsText(config) },
    ...('detail' in external
      ? [external]
      : await checkConnectors(config, external, core.running !== null, machine.usable)),
  ];
}

/** Who can investigate, and what it may cost. */
function investigationsText(config: Config): string {
  const { investigation } = enginePolicy(config);
  if (investigation.when === 'off') return 'off (INVESTIGATE)';
  const hasModel = config.ollamaModel !== null || config.openaiModel !== null;
  return hasModel ? billText(investigation, null) : 'by agents over MCP; no model is configured';
}

/** Which doors are open, and which setting opens the others. */
function checkDoors({ config, generated }: WithSecrets): Check {
  const doors = Object.entries(DOOR_SETTINGS).map(([id, key]) => {
    const open = config[key].length > 0 || generated.some((other) => other === key);
    return { open, text: open ? id : `${id} (${SETTINGS[key].env})` };
  });
  const list = (wanted: boolean) =>
    doors.flatMap(({ open, text }) => (open === wanted ? text : [])).join(', ') || 'none';
  return { name: 'doors', ok: true, detail: `open: ${list(true)}; closed: ${list(false)}` };
}

function engineProblem(error: unknown): Check {
  if (!isCulpritError(error)) throw error;
  return { name: 'engine', ok: false, detail: error.message };
}

async function checkConnectors(
  config: Config,
  external: readonly LoadedConnector[],
  running: boolean,
  usable: boolean,
): Promise<readonly Check[]> {
  try {
    await composeTrackers(config, silentLogger, new AbortController().signal, external);
    return [loadedConnectors(external), ...(await askConnectors(config, external, running, usable))];
  } catch (error) {
    return [engineProblem(error)];
  }
}

function loadedConnectors(external: readonly LoadedConnector[]): Check {
  const names = external.map(
    ({ connector, ports }) => `${connector.id} (${ports?.join(', ') ?? 'any port'})`,
  );
  return { name: 'connectors', ok: true, detail: names.join(', ') || 'only the built-in ones' };
}

/** A storage in files is checked as a copy, because opening it would change it, and a running core holds it. */
async function askConnectors(
  config: Config,
  external: readonly LoadedConnector[],
  running: boolean,
  usable: boolean,
): Promise<readonly Check[]> {
  const publicUrl = config.publicUrl ?? urlOf(config.host, config.corePort);
  const connectors = composeCore(config, external, true).connectors(publicUrl);
  const store = storeOf(external);
  const replaced =
    store === null ? null : { ok: true, detail: `${store} replaces STORAGE_URL; its core checks it` };
  const without = (check: Omit<Check, 'name'>) => askWithoutStorage(connectors, config, check);
  if (!usable) {
    const others = connectors.filter(({ id }) => id !== 'outbox');
    const closed = { ok: false, detail: 'Not opened; see write access.' };
    return askWithoutStorage(others, config, replaced ?? closed);
  }
  if (replaced !== null) return without(replaced);
  if (isNew(config)) return without({ ok: true, detail: `${config.storageUrl} does not exist yet` });
  if (running)
    return without({ ok: true, detail: 'in use by the running core; see Settings, Health on its board' });
  try {
    return await ask(connectors, config);
  } catch (error) {
    if (!isCulpritError(error, 'storage_unavailable')) throw error;
    return without({ ok: false, detail: error.message });
  }
}

/** The checks of all connectors but the storage, whose check is given. */
async function askWithoutStorage(
  connectors: readonly Connector[],
  config: Config,
  check: Omit<Check, 'name'>,
): Promise<readonly Check[]> {
  const others = connectors.map((one) => (one.id === 'storage' ? storage({ url: 'memory:' }) : one));
  const checks = await ask(others, config);
  return [{ name: 'storage', ...check }, ...checks.filter(({ name }) => name !== 'storage')];
}

async function ask(connectors: readonly Connector[], { projects }: Config): Promise<readonly Check[]> {
  const engine = await createEngine({ connectors, projects, policy: { checkMs: CHECK_MS } });
  try {
    return await engine.check();
  } finally {
    await engine.close();
  }
}

function statusOf({ ok, optional }: Check): 'ok' | 'warn' | 'fail' {
  return ok ? 'ok' : optional === true ? 'warn' : 'fail';
}

export function printChecks(checks: readonly Check[]): void {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const words = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' };
  for (const check of checks) {
    print(`${words[statusOf(check)]}  ${check.name.padEnd(width)}  ${oneLine(check.detail)}\n`);
  }
  const { passed, warnings, failed } = countsOf(checks);
  print(
    `\n${plural(passed, 'check')} passed, ${plural(warnings, 'warning')}, ${plural(failed, 'problem')}.\n`,
  );
}

function countsOf(checks: readonly Check[]) {
  const count = (wanted: ReturnType<typeof statusOf>) =>
    checks.filter((check) => statusOf(check) === wanted).length;
  return { passed: count('ok'), warnings: count('warn'), failed: count('fail') };
}
