import { type Check, isCulpritError } from '@culprit/core';
import { hostOf } from '../compose/core-parts.js';
import { describeModel } from '../compose/explainers.js';
import { systemsOf, systemsText } from '../compose/hosts/describe.js';
import { describeChat } from '../compose/notifiers.js';
import { composeOidc } from '../compose/sign-in.js';
import type { Config } from '../config/config.js';
import { urlOf } from '../config/network.js';
import { checkProvider } from '../server/oidc/check-provider.js';
import { rated } from './checks.js';
import { builtInHosts, checkMachine } from './doctor-machine.js';

/**
 * What a running core checks of `culprit doctor` besides its connectors: all but the ports. Writes nothing that stays.
 * `externalStore`: the connector that replaces the storage of `STORAGE_URL`.
 */
export async function checkSurroundings(
  config: Config,
  externalStore: string | null = null,
): Promise<readonly Check[]> {
  const [machine, services] = await Promise.all([checkMachine(config, externalStore), checkServices(config)]);
  return [...machine.checks, ...services];
}

/** Repositories, model, chat and sign-in. */
export async function checkServices(config: Config): Promise<readonly Check[]> {
  const [repositories, signIn] = await Promise.all([checkRepositories(config), checkSignIn(config)]);
  return [
    ...repositories,
    ...describeSystems(config),
    { name: 'model', ok: true, detail: describeModel(config) },
    { name: 'chat', ok: true, detail: describeChat(config) },
    ...signIn,
  ];
}

/** The provider that people sign in at. */
async function checkSignIn(config: Config): Promise<readonly Check[]> {
  try {
    const options = composeOidc(config);
    if (options === null)
      return [{ name: 'sign-in', ok: true, detail: 'with tokens; OIDC_ISSUER adds a provider' }];
    const site = (config.publicUrl ?? urlOf(config.host, config.corePort)).replace(/\/+$/, '');
    return await checkProvider({ options, site, now: Date.now });
  } catch (error) {
    if (!isCulpritError(error, 'configuration')) throw error;
    return [{ name: 'sign-in', ok: false, detail: error.message }];
  }
}

/** Which system has each project's code and issues. None where an external connector may be one of them. */
function describeSystems(config: Config): readonly Check[] {
  if (config.connectors.length > 0 || builtInHosts(config).length === 0) return [];
  const detail = systemsOf(config, hostOf).map(systemsText).join('; ');
  return detail === '' ? [] : [{ name: 'systems', ok: true, detail }];
}

export async function checkRepositories(config: Config): Promise<readonly Check[]> {
  if (Object.values(config.projects).every(({ repository }) => repository === undefined)) {
    const detail =
      'No project has a repository, so there is no blame. Set REPOSITORY to owner/name or to the path of a repository.';
    return [rated({ name: 'projects', ok: false, detail })];
  }
  const checks = builtInHosts(config).map(({ host, repositories }) =>
    host.check(
      config,
      repositories.filter(({ role }) => role === 'codeHost'),
    ),
  );
  return (await Promise.all(checks)).flat().map(rated);
}
