import { fileURLToPath } from 'node:url';
import type { Check, Logger } from '@culprit/core';
import type { Config } from '../config/config.js';
import type { WithSecrets } from '../config/generated-secrets.js';
import { loadConfig } from '../config/load-config.js';
import { urlOf } from '../config/network.js';
import { createOnlyPrivateFiles } from '../config/private-files.js';
import { createLogger } from '../log/create-logger.js';
import { print, printError } from '../log/terminal.js';
import { banner } from './banner.js';
import { passes } from './checks.js';
import { checkFiles, checkServer } from './doctor-machine.js';
import { checkRepositories } from './doctor-services.js';
import { CommandFailure, EXIT } from './exit-codes.js';
import { linkFor } from './link.js';
import { onOwnPort } from './on-own-port.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { announceUp } from './ready-message.js';
import { serverUsage, settingsOf } from './server-flags.js';
import { stopSignal } from './stop-signal.js';
import { type Service, supervise } from './supervise.js';

const BIN = fileURLToPath(new URL('../bin/culprit.js', import.meta.url));

export const usage: CommandUsage = { ...serverUsage('up'), json: false };

/** Starts both servers as child processes and keeps them running. */
export async function run(flags: ReadFlags): Promise<number> {
  createOnlyPrivateFiles();
  const sources = { flags: settingsOf(flags), role: 'up' } as const;
  const { config } = loadConfig({ ...sources, readOnly: true });
  const pretty = process.stdout.isTTY === true;
  const logger = createLogger({ level: config.logLevel, name: 'up', pretty });
  const stopped = stopSignal();
  const warned = (await Promise.race([checkStart(config), stopped])) ?? [];
  for (const { name, detail } of warned) logger.warn({ check: name }, detail);
  // Generates secrets, which are shown once: not before a start that is refused.
  const loaded = loadConfig(sources);
  const services: Service[] = [];
  const close = async () => {
    for (const service of services) service.expectEnd();
    for (const service of services.reverse()) await service.stop();
  };
  try {
    const servers = await Promise.race([startBoth(flags.argv, config, logger, services), stopped]);
    if (servers !== undefined) {
      announceUp({ edgeUrl: servers.edgeUrl, coreUrl: servers.coreUrl, servedBy: servers.servedBy });
      const link = await linkOf(loaded, servers, pretty);
      const onTerminal = (pretty ? process.stdout : process.stderr).isTTY === true;
      // The banner itself says that there is no repository.
      const warnings = warned.filter(({ name }) => name !== 'projects').map(({ detail }) => detail);
      const text = banner({
        ...loaded,
        ...servers,
        servedBy: pretty ? servers.servedBy : null,
        warnings,
        link,
        onTerminal,
      });
      if (pretty) print(text);
      else {
        printError(text);
        logger.info(
          {
            edge: servers.edgeUrl,
            core: servers.coreUrl,
            board: servers.boardUrl,
            http: servers.servedBy,
          },
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

/** Only on a terminal, because logs are read by others; and only for the generated token, which has one owner. */
async function linkOf({ config, generated }: WithSecrets, { coreUrl }: Servers, onTerminal: boolean) {
  const token = config.reviewerTokens[0]?.token.reveal();
  if (!onTerminal || !generated.includes('reviewerTokens') || token === undefined) return null;
  return linkFor(coreUrl, token);
}

/** The checks of `culprit doctor` that no start goes without. Resolves with its warnings. */
async function checkStart(config: Config): Promise<readonly Check[]> {
  const servers = await Promise.all((['edge', 'core'] as const).map((role) => checkServer(role, config)));
  if (servers.some(({ running }) => running !== null))
    throw alreadyRuns(
      config,
      servers.map(({ running }) => running),
    );
  const checks = [
    ...servers.map(({ check }) => check),
    ...checkFiles(config),
    ...(await checkRepositories(config)),
  ].filter(({ ok }) => !ok);
  const refused = checks.filter((check) => !passes(check)).map(({ name, detail }) => `${name}: ${detail}`);
  if (refused.length === 0) return checks;
  throw new CommandFailure(`Nothing was started.\n${refused.join('\n')}`, EXIT.failed);
}

function alreadyRuns({ dataDirectory }: Config, [edge, core]: readonly (string | null)[]): CommandFailure {
  const where = [core && `the board and core at ${core}`, edge && `the edge at ${edge}`]
    .filter(Boolean)
    .join(', ');
  const text = `Culprit already runs with the data directory ${dataDirectory}: ${where}. Nothing was started. To start another, set DATA_DIR (--data), EDGE_PORT (--edge-port) and CORE_PORT (--core-port).`;
  return new CommandFailure(text, EXIT.failed);
}

interface Servers {
  readonly edgeUrl: string;
  readonly coreUrl: string;
  readonly boardUrl: string;
  readonly servedBy: string;
}

/** Starts core first, because the edge needs its port. */
async function startBoth(
  argv: readonly string[],
  config: Config,
  logger: Logger,
  services: Service[],
): Promise<Servers> {
  const { host } = config;
  const start = (name: 'edge' | 'core', flags: readonly string[]) => {
    const service = supervise({ name, logger, command: [BIN, name, ...argv, ...flags] });
    services.push(service);
    return service;
  };
  const core = await onOwnPort({ port: config.corePort, host }, (port) =>
    start('core', ['--core-port', String(port)]),
  );
  const { port, url: boardUrl, servedBy } = await core.ready;
  const coreUrl = config.coreUrl ?? urlOf(host, port);
  const edge = await onOwnPort({ port: config.edgePort, host }, (port) =>
    start('edge', ['--core-url', coreUrl, '--edge-port', String(port)]),
  );
  return { coreUrl, boardUrl, servedBy, edgeUrl: (await edge.ready).url };
}
