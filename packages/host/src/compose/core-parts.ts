import { storage } from '@culprit/connectors/storage';
import type { Connector, CulpritError } from '@culprit/core';
import type { Config } from '../config/config.js';
import { DEFAULT_PROJECT } from '../config/credentials.js';
import { variableOf } from '../config/setting.js';
import { composeExplainers } from './explainers.js';
import { type LoadedConnector, provides, storeOf, withExternal } from './external-connectors.js';
import { byAddress } from './hosts/by-address.js';
import type { HostParts, ProjectAddress, RepositoryHost, Roles } from './hosts/host.js';
import { HOSTS } from './hosts/hosts.js';
import { composeNotifiers } from './notifiers.js';
import { refused } from './refused.js';
import { composeStorage } from './storage.js';

/** The engine and the services around it, composed from a configuration. */
export type CoreParts = HostParts;

/**
 * Core's connectors: storage, code host, publisher, explainers and notifiers. An external storage, code host
 * or publisher replaces the built-in one. `checking`: for `culprit doctor`, whose checks may test permissions that only a write request
 * reveals, and which creates nothing. An external storage is not opened then, because core may use it.
 */
export function composeCore(
  config: Config,
  external: readonly LoadedConnector[] = [],
  checking = false,
): CoreParts {
  const notifiers = composeNotifiers(config);
  const hosts = usedHosts(config, external).map(({ host, roles, repositories }) => ({
    host,
    roles,
    parts: host.compose({ config, tryWriting: checking, serving: !checking, roles, repositories }),
  }));
  return {
    connectors: (publicUrl) =>
      withExternal(
        [
          ...storageIn(config, external, checking),
          ...byAddress(
            hosts.map(({ host, roles, parts }) => ({ host, roles, connectors: parts.connectors(publicUrl) })),
          ),
          ...composeExplainers(config, checking),
          ...notifiers(publicUrl),
        ],
        checking ? external.filter((one) => !provides('runStore')(one)) : external,
      ),
    documents: Object.assign({}, ...hosts.map(({ parts }) => parts.documents)),
  };
}

/** The built-in storage, unless an external one replaces it. */
function storageIn(
  config: Config,
  external: readonly LoadedConnector[],
  checking: boolean,
): readonly Connector[] {
  if (storeOf(external) === null) return [composeStorage(config, checking)];
  return checking ? [storage({ url: 'memory:' })] : [];
}

export interface UsedHost {
  readonly host: RepositoryHost;
  readonly roles: Roles;
  readonly repositories: readonly ProjectAddress[];
}

const ALL: readonly RepositoryHost[] = Object.values(HOSTS);

/** The hosts of the configured addresses; local git and the outbox for a role without any. */
export function usedHosts(config: Config, external: readonly LoadedConnector[] = []): readonly UsedHost[] {
  const addresses = (['codeHost', 'publisher'] as const)
    .filter((role) => !external.some(provides(role)))
    .flatMap((role) => chosen(config, role));
  for (const host of ALL) {
    const setBy = host.setUpBy.find((key) => config[key] !== null);
    if (setBy !== undefined && external.length === 0 && !addresses.some((one) => one.host === host))
      throw unused(host, variableOf(setBy));
  }
  return ALL.flatMap((host) => {
    const own = addresses.filter((one) => one.host === host);
    if (own.length === 0) return [];
    const roles = {
      codeHost: own.some(({ role }) => role === 'codeHost'),
      publisher: own.some(({ role }) => role === 'publisher'),
    };
    const repositories = own.flatMap(({ project, address, role }) =>
      address === null ? [] : [{ project, address, role }],
    );
    return [{ host, roles, repositories }];
  });
}

interface Chosen {
  readonly host: RepositoryHost;
  readonly role: keyof Roles;
  readonly project: string;
  readonly address: string | null;
}

function chosen({ projects }: Config, role: keyof Roles): readonly Chosen[] {
  const found = Object.entries(projects).flatMap(([project, { repository, publishRepository }]): Chosen[] => {
    const address = role === 'codeHost' ? repository : (publishRepository ?? repository);
    return address === undefined ? [] : [{ host: hostOf(address, role, project), role, project, address }];
  });
  return found.length > 0 ? found : [{ host: HOSTS.local, role, project: '', address: null }];
}

const NAMES: Readonly<Record<keyof Roles, string>> = { codeHost: 'code host', publisher: 'publisher' };

/** The host of an address. */
export function hostOf(address: string, role: keyof Roles, project = DEFAULT_PROJECT): RepositoryHost {
  const host = ALL.find((one) => one.recognises(address, role));
  if (host !== undefined) return host;
  const known = ALL.map(({ addresses, titles }) => `${addresses} (${titles[role]})`).join(' or ');
  throw refused(
    'repository',
    `No ${NAMES[role]} recognises the repository address of project ${project}. Use ${known}.`,
  );
}

function unused({ titles, addresses }: RepositoryHost, setBy: string): CulpritError {
  return refused(
    'repository',
    `${setBy} is set, but no repository is on ${titles.codeHost}. Set REPOSITORY=${addresses}, or unset ${setBy}.`,
  );
}
