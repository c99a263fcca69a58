import { type Connector, CulpritError } from '@culprit/core';
import type { CodeHost, ConnectorParts, Publisher } from '@culprit/core/connector';
import type { RepositoryHost, Roles } from './host.js';

/** A host that is used, with its connectors. */
export interface ComposedHost {
  readonly host: RepositoryHost;
  readonly roles: Roles;
  readonly connectors: readonly Connector[];
}

/**
 * The connectors of the hosts. Where projects use several hosts in one role, the last connector offers that role for all of them:
 * each call goes to the host that recognises the repository's address.
 */
export function byAddress(hosts: readonly ComposedHost[]): readonly Connector[] {
  const shared = (['codeHost', 'publisher'] as const).filter(
    (role) => hosts.filter(({ roles }) => roles[role]).length > 1,
  );
  if (shared.length === 0) return hosts.flatMap(({ connectors }) => connectors);
  const found = new Map<RepositoryHost, ConnectorParts>();
  const own = hosts.flatMap(({ host, connectors }) =>
    connectors.map(
      ({ id, setup }): Connector => ({
        id,
        async setup(context) {
          const parts = await setup(context);
          const ports = Object.fromEntries(
            shared.flatMap((role) => (parts[role] ? [[role, parts[role]]] : [])),
          );
          found.set(host, { ...found.get(host), ...ports });
          return { ...parts, ...Object.fromEntries(shared.map((role) => [role, undefined])) };
        },
      }),
    ),
  );
  const partsOf = (repository: string, role: keyof Roles): ConnectorParts => {
    const used = hosts.find(({ host, roles }) => roles[role] && host.recognises(repository, role));
    return (used && found.get(used.host)) ?? {};
  };
  const all: Connector = {
    id: 'repositories',
    setup: () => ({
      ...(shared.includes('codeHost')
        ? { codeHost: codeHosts((name) => partsOf(name, 'codeHost').codeHost ?? null) }
        : {}),
      ...(shared.includes('publisher')
        ? { publisher: publishers((name) => partsOf(name, 'publisher').publisher ?? null) }
        : {}),
    }),
  };
  return [...own, all];
}

function codeHosts(find: (repository: string) => CodeHost | null): CodeHost {
  const of = (repository: string): CodeHost => {
    const refuse = async () => {
      throw nobodyHas(repository, 'code host');
    };
    return find(repository) ?? { tree: refuse, blame: refuse, commits: refuse, diff: refuse };
  };
  return {
    systems: { of },
    tree: (repository, ...rest) => of(repository).tree(repository, ...rest),
    blame: (repository, ...rest) => of(repository).blame(repository, ...rest),
    commits: (repository, ...rest) => of(repository).commits(repository, ...rest),
    diff: (repository, ...rest) => of(repository).diff(repository, ...rest),
  };
}

function publishers(find: (repository: string) => Publisher | null): Publisher {
  const of = (repository: string): Publisher => {
    const refuse = async () => {
      throw nobodyHas(repository, 'publisher');
    };
    return find(repository) ?? { find: refuse, create: refuse, read: refuse };
  };
  return {
    systems: { of },
    find: (repository, ...rest) => of(repository).find(repository, ...rest),
    create: (issue, signal) => of(issue.repository).create(issue, signal),
    read: (repository, ...rest) => of(repository).read(repository, ...rest),
    expect: async (issue, signal) => (await of(issue.repository).expect?.(issue, signal)) ?? [],
  };
}

function nobodyHas(repository: string, what: string): CulpritError {
  return new CulpritError(
    'repository_not_found',
    `No ${what} of this installation has ${repository.slice(0, 200)}. Set the project's repository, or publishRepository, in culprit.json.`,
  );
}
