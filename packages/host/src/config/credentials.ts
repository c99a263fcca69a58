import { ALL_PROJECTS } from '../server/oidc/options.js';
import { Secret } from './secret.js';
import { type Given, refuse, type SettingType } from './setting.js';
import { itemsOf } from './types.js';

const PROJECT = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u;
export const DEFAULT_PROJECT = 'default';

/** The setting that opens the door of each built-in tracker. */
export const DOOR_SETTINGS = {
  errortracker: 'trackerHookSecret',
  native: 'serviceTokens',
  otlp: 'serviceTokens',
  sentry: 'sdkKeys',
  'sentry-hook': 'sentryHookSecrets',
  'standard-webhooks': 'standardWebhookSecrets',
} as const;

export function secret(format: string, minChars = 1): SettingType<Secret> {
  return {
    format,
    secret: true,
    read: (given) =>
      given.text.length >= minChars
        ? new Secret(given.text)
        : refuse(given, `must have at least ${minChars} characters`),
  };
}

/** One secret, or two while it is being rotated. */
export function secrets(format: string, pattern = /./, problem = ''): SettingType<readonly Secret[]> {
  return {
    format,
    secret: true,
    read(given) {
      const items = itemsOf(given.text);
      if (items.length > 2) refuse(given, 'must contain at most two secrets, separated by a comma');
      if (!items.every((item) => pattern.test(item))) refuse(given, problem);
      return items.map((item) => new Secret(item));
    },
  };
}

export interface HookSecret {
  readonly project: string;
  readonly secret: Secret;
}
/** At most two for each project. The `=` that pads base64 is not a separator. */
export const hookSecrets: SettingType<readonly HookSecret[]> = {
  format: '[project=]secret,…',
  secret: true,
  read(given) {
    const found = itemsOf(given.text).map((item): HookSecret => {
      const at = item.indexOf('=');
      const rest = item.slice(at + 1);
      if (at < 1 || /^=*$/.test(rest)) return { project: DEFAULT_PROJECT, secret: new Secret(item) };
      return { project: checkProject(given, item.slice(0, at)), secret: new Secret(rest) };
    });
    for (const { project } of found) {
      if (found.filter((other) => other.project === project).length > 2)
        refuse(given, `must contain at most two secrets for project ${project}`);
    }
    return found;
  },
};

export interface ServiceToken {
  readonly project: string;
  readonly name: string;
  readonly token: Secret;
}
export const serviceTokens: SettingType<readonly ServiceToken[]> = {
  format: '[project/]name:token,…',
  secret: true,
  read(given) {
    const tokens = itemsOf(given.text).map((item): ServiceToken => {
      const [owner, token] = pairOf(given, item, 'name:token or project/name:token');
      const slash = owner.indexOf('/');
      const project = slash < 0 ? DEFAULT_PROJECT : checkProject(given, owner.slice(0, slash));
      return { project, name: checkName(given, owner.slice(slash + 1)), token: new Secret(token) };
    });
    checkDistinct(given, tokens);
    return tokens;
  },
};

export interface OtlpService {
  readonly service: string;
  readonly project: string;
}
export const otlpServices: SettingType<readonly OtlpService[]> = {
  format: 'service=project,…',
  read: (given) =>
    itemsOf(given.text).map((item) => {
      const at = item.lastIndexOf('=');
      if (at < 1) refuse(given, 'must be service=project, separated by commas');
      return { service: item.slice(0, at), project: checkProject(given, item.slice(at + 1)) };
    }),
};

export interface ReviewerToken {
  readonly name: string;
  readonly token: Secret;
}
export const reviewerTokens: SettingType<readonly ReviewerToken[]> = {
  format: 'name:token,…',
  secret: true,
  read(given) {
    const tokens = itemsOf(given.text).map((item): ReviewerToken => {
      const [name, token] = pairOf(given, item, 'name:token');
      return { name: checkName(given, name), token: new Secret(token) };
    });
    checkDistinct(given, tokens);
    return tokens;
  },
};

export interface SdkKey {
  readonly project: string;
  readonly key: string;
}
export const sdkKeys: SettingType<readonly SdkKey[]> = {
  format: 'project:publickey,…',
  read: (given) =>
    itemsOf(given.text).map((item) => {
      const [project, key] = pairOf(given, item, 'project:publickey');
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(key))
        refuse(given, 'must contain public keys of 1 to 64 letters, digits, dashes and underscores');
      return { project: checkProject(given, project), key };
    }),
};

export function checkProject(given: Pick<Given, 'origin' | 'key'>, project: string): string {
  if (PROJECT.test(project)) return project;
  return refuse(given, 'names a project that is not 1 to 64 letters, digits, dots, dashes or underscores');
}

function checkName(given: Given, name: string): string {
  if (NAME.test(name)) return name;
  return refuse(given, 'contains a name that is not 1 to 64 letters, digits, spaces or . _ @ -');
}

function pairOf(given: Given, item: string, format: string): readonly [string, string] {
  const at = item.indexOf(':');
  if (at < 1 || at === item.length - 1) refuse(given, `must be ${format}, separated by commas`);
  return [item.slice(0, at).trim(), item.slice(at + 1).trim()];
}

function checkDistinct(given: Given, tokens: readonly { readonly token: Secret }[]): void {
  if (new Set(tokens.map(({ token }) => token.reveal())).size < tokens.length)
    refuse(given, 'gives two names the same token; a token must identify one user');
}

/** A reviewer's name, and the projects that they decide in; a name alone: all of them. */
type SlackReviewer = string | { readonly name: string; readonly projects: string[] };

const FORMAT = 'U0123456789:name or U0123456789:name=project';

/** Reviewers by Slack user id. An entry with a project gives this one; several entries of a user give several. */
export const slackReviewers: SettingType<Readonly<Record<string, SlackReviewer>>> = {
  format: 'U0123456789:name[=project],…',
  read(given) {
    const found = new Map<string, SlackReviewer>();
    for (const item of itemsOf(given.text)) {
      const [user, rest] = pairOf(given, item, FORMAT);
      if (!/^[UW][A-Z0-9]{1,30}$/.test(user)) refuse(given, `must be ${FORMAT}, separated by commas`);
      const at = rest.indexOf('=');
      const name = checkName(given, (at < 0 ? rest : rest.slice(0, at)).trim());
      const project = at < 0 ? ALL_PROJECTS : projectName(rest.slice(at + 1).trim(), given);
      found.set(user, project === ALL_PROJECTS ? alone(user, name) : added(user, name, project));
    }
    return Object.fromEntries(found);

    function alone(user: string, name: string): string {
      return found.has(user) ? refuse(given, 'names a Slack user twice') : name;
    }

    function added(user: string, name: string, project: string): SlackReviewer {
      const other = found.get(user);
      if (other === undefined) return { name, projects: [project] };
      if (typeof other === 'string' || other.name !== name || other.projects.includes(project))
        return refuse(given, 'names a Slack user twice, other than with one name and several projects');
      return { name, projects: [...other.projects, project] };
    }
  },
};

/** A project, or {@link ALL_PROJECTS}. */
export function projectName(text: string, given: Given): string {
  return text === ALL_PROJECTS ? text : checkProject(given, text);
}
