import { fileURLToPath } from 'node:url';
import type { Logger } from '@culprit/core';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import { urlOf } from '../config/network.js';
import { createLogger } from '../log/create-logger.js';
import { print, printError } from '../log/terminal.js';
import { banner } from './banner.js';
import { checkRepositories } from './doctor.js';
import { checkPort } from './doctor-machine.js';
import { CommandFailure, EXIT } from './exit-codes.js';
import { freePort } from './free-port.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { serverUsage, settingsOf } from './server-flags.js';
import { stopSignal } from './stop-signal.js';
import { type Service, supervise } from './supervise.js';

const BIN = fileURLToPath(new URL('../bin/culprit.js', import.meta.url));

export const usage: CommandUsage = { ...serverUsage('up'), json: false };

/** Starts both servers as child processes and keeps them running. */
export async function run(flags: ReadFlags): Promise<number> {
  const loaded = loadConfig({ flags: settingsOf(flags), role: 'up' });
  const { config } = loaded;
  const pretty = process.stdout.isTTY === true;
  const logger = createLogger({ level: config.logLevel, name: 'up', pretty });
  for (const key of ['edgePort', 'corePort'] as const) await refuseTaken(key, config);
  void warnOfRepositories(config, logger);
  const stopped = stopSignal();
  const services: Service[] = [];
  const close = async () => {
    for (const service of services.reverse()) await service.stop();
  };
  try {
    const servers = await Promise.race([startBoth(flags.argv, config, logger, services), stopped]);
    if (servers !== undefined) {
      const text = banner({ ...loaded, ...servers });
      if (pretty) print(text);
      else {
        if (loaded.fresh.length > 0) printError(text);
        logger.info(
          { edge: servers.edgeUrl, core: servers.coreUrl, board: servers.boardUrl },
          'culprit is up',
        );
      }
      await stopped;
    }
  } catch (error) {
    await close();
    throw error;
  }
  logger.info({}, 'culprit is stopping');
  await close();
  return 0;
}

async function refuseTaken(key: 'edgePort' | 'corePort', config: Config): Promise<void> {
  const { check, running } = await checkPort(key, config);
  if (running || !check.ok) throw new CommandFailure(check.detail, EXIT.failed);
}

/** A repository that cannot be read is reported at once, not at the first Gate 1. It may still be cloned later. */
async function warnOfRepositories(config: Config, logger: Logger): Promise<void> {
  const checks = await checkRepositories(config);
  for (const { name, ok, detail } of checks) if (!ok) logger.warn({ check: name }, detail);
}

interface Servers {
  readonly edgeUrl: string;
  readonly coreUrl: string;
  readonly boardUrl: string;
}

/** Starts core first, because the edge needs its port. Ports are fixed from the first start, so a restart reuses them. */
async function startBoth(
  argv: readonly string[],
  config: Config,
  logger: Logger,
  services: Service[],
): Promise<Servers> {
  const corePort = String(config.corePort === 0 ? await freePort(config.host) : config.corePort);
  const edgePort = String(config.edgePort === 0 ? await freePort(config.host) : config.edgePort);
  const core = supervise({ name: 'core', logger, command: [BIN, 'core', ...argv, '--core-port', corePort] });
  services.push(core);
  const { port, url: boardUrl } = await core.ready;
  const coreUrl = config.coreUrl ?? urlOf(config.host, port);
  const edge = supervise({
    name: 'edge',
    logger,
    command: [BIN, 'edge', ...argv, '--core-url', coreUrl, '--edge-port', edgePort],
  });
  services.push(edge);
  return { coreUrl, boardUrl, edgeUrl: (await edge.ready).url };
}
