import type { Check, Connector } from '@culprit/core';
import type { Config } from '../../config/config.js';
import { DEFAULT_PROJECT, secrets } from '../../config/credentials.js';
import { type SettingRows, setting } from '../../config/setting.js';
import type { Documents } from '../../server/routes/documents.js';
import type { IssueEvents, IssueWebhook } from '../../server/routes/issue-events.js';

/** The code host reads code; the publisher creates issues. Each is chosen by its own address. */
export interface Roles {
  readonly codeHost: boolean;
  readonly publisher: boolean;
}

export interface HostRequest {
  readonly config: Config;
  readonly roles: Roles;
  /** Addresses that a project reads code from, or creates issues in. */
  readonly repositories: readonly ProjectAddress[];
  /** True: checks may test permissions that only a write request reveals. */
  readonly tryWriting: boolean;
  /** True: for a server, which may prepare answers and keep files. False: for one command. */
  readonly serving: boolean;
}
export interface ProjectAddress {
  readonly project: string;
  readonly address: string;
  readonly role: keyof Roles;
}

export interface HostParts {
  /** `publicUrl` is the base of links in issues. */
  readonly connectors: (publicUrl: string) => readonly Connector[];
  readonly documents: Documents;
}

/** A system that has repositories, issues or both: one row of `HOSTS`. */
export interface RepositoryHost<Rows extends SettingRows = SettingRows> {
  /** Its name in each role. */
  readonly titles: Readonly<Record<keyof Roles, string>>;
  /** The format of its addresses, for errors, help and the reference. */
  readonly addresses: string;
  /** Guide, relative to docs/. */
  readonly guide: string;
  readonly settings: Rows;
  /** Prefix that always selects this host, such as `github:`. */
  readonly scheme: string;
  /** Other prefixes that select it. */
  readonly aliases?: readonly string[];
  /** Base address of the server whose addresses for cloning belong to this host. `written`: settings. Absent: it has none. */
  serverOf?(written: (key: string) => string | null): string;
  /** What `culprit init` asks for an address of this host, in order. Absent: nothing. */
  readonly questions?: readonly HostQuestion[];
  /** The address that runs store, from what follows the scheme. `recognises` accepts it. */
  canonical(rest: string, cwd: string): string;
  /** True for an address that has no scheme and belongs to this host. */
  recognises(address: string, role: keyof Roles): boolean;
  /** Settings that set it up, although no repository may be on it. Then an unused host is an error. */
  readonly setUpBy: readonly (keyof Config & string)[];
  /** Throws `configuration` if its settings are incomplete. */
  compose(request: HostRequest): HostParts;
  /** For `culprit doctor`: whether the code of these repositories can be read. The connector checks permissions. */
  check(config: Config, repositories: readonly ProjectAddress[]): Promise<readonly Check[]>;
  /** Its webhook about issues. Absent: it has none, and an issue is read when its crash recurs. */
  readonly issueEvents?: HostIssueEvents;
  /** A URL whose Date header `culprit doctor` compares with the clock. */
  clockUrl?(config: Config): string;
}

export interface HostIssueEvents extends Pick<IssueWebhook, 'headers'> {
  /** The setting with its secrets. Empty: the endpoint is closed. */
  readonly secrets: 'githubWebhookSecret' | 'gitlabWebhookSecret' | 'forgejoWebhookSecret';
  open(options: { readonly secrets: readonly string[] }): IssueEvents;
}

/** One setting that `culprit init` asks for. */
export interface HostQuestion {
  /** Its key in the table of settings. */
  readonly key: string;
  /** Absent: the answer comes from the environment or the terminal, because process lists show flags. */
  readonly flag?: string;
  readonly ask: string;
  /** Why there must be an answer. Absent: it may be empty. */
  readonly required?: string;
}

/** What every host's connector gets of a request: its one role if it has not both, and what its check uses. */
export function askedOf({ repositories, roles }: HostRequest) {
  // The repositories of the default project, or of the first one.
  const of = (role: keyof Roles) => {
    const all = repositories.filter((one) => one.role === role);
    return (all.find(({ project }) => project === DEFAULT_PROJECT) ?? all[0])?.address;
  };
  const [repository, publishRepository] = [of('codeHost'), of('publisher')];
  return {
    ...(roles.codeHost ? {} : { only: 'publisher' as const }),
    ...(roles.publisher ? {} : { only: 'codeHost' as const }),
    ...(repository === undefined ? {} : { repository }),
    ...(publishRepository === undefined ? {} : { publishRepository }),
  };
}

/** Addresses that code is read from, if there is time to prepare. */
export function preparedOf({ repositories, serving }: HostRequest): string[] {
  const code = repositories.filter(({ role }) => role === 'codeHost').map(({ address }) => address);
  return serving ? [...new Set(code)] : [];
}

/** For a connector whose host is read over an API: where it keeps copies, if it may. */
export function mirrorOf(request: HostRequest) {
  const { mirror: directory, mirrorMaxMb: maxMb, mirrorMaxDays: maxDays } = request.config;
  if (directory === null) return {};
  const repositories = preparedOf(request);
  return { mirror: { directory, maxMb, maxDays, repositories, buildGraphs: request.serving } };
}

/** For `check`: the connector's own check asks the server. */
export function namedOn(place: string, repositories: readonly ProjectAddress[]): readonly Check[] {
  const names = [...new Set(repositories.map(({ address }) => address))].join(', ');
  return [{ name: 'repository', ok: true, detail: `${names} on ${place}` }];
}

/** The row of a webhook's secrets. */
export function webhookSecret(host: string, title: string, what = 'Secret') {
  const path = `/webhook/${host}`;
  return setting(secrets('secret[,secret]'), {
    default: '',
    otherwise: `POST ${path} of core is closed`,
    meaning: `${what} of the webhook by which ${title} reports changes of issues to core. Two while it is being rotated. Without it, an issue is read when its crash recurs.`,
  });
}
