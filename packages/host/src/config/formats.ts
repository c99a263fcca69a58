import { modelHost } from '@culprit/connectors/ollama';
import type { CodeMapping } from '@culprit/core';
import { CulpritError } from '@culprit/core';
import { Secret } from './secret.js';

/** A setting's text and, for error messages, where it was written. */
export interface Given {
  readonly text: string;
  /** `EDGE_PORT`, `--edge-port` or `culprit.json: edgePort`. */
  readonly origin: string;
  readonly key: string;
}

const PROJECT = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u;
export const DEFAULT_PROJECT = 'default';

/** Says what is wrong and never repeats the value: it may be a secret. */
export function refuse(given: Given, problem: string): never {
  throw new CulpritError('configuration', `${given.origin} ${problem}.`, { path: given.key });
}

export function parsePort(given: Given): number {
  if (!/^\d{1,5}$/.test(given.text)) refuse(given, 'must be a port number from 0 to 65535');
  const port = Number(given.text);
  if (port > 65_535) refuse(given, 'must be a port number from 0 to 65535');
  return port;
}

export function parseBoolean(given: Given): boolean {
  if (['1', 'true', 'yes'].includes(given.text)) return true;
  if (['0', 'false', 'no'].includes(given.text)) return false;
  return refuse(given, 'must be 1 or 0');
}

/** An http(s) address without credentials, query or fragment; no slash at the end. */
export function parseUrl(given: Given): string {
  let url: URL;
  try {
    url = new URL(given.text);
  } catch {
    return refuse(given, 'must be a whole URL such as http://127.0.0.1:8000');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    refuse(given, 'must begin with http:// or https://');
  if (url.username !== '' || url.password !== '') refuse(given, 'must not carry a user or a password');
  if (url.search !== '' || url.hash !== '') refuse(given, 'must not carry a query or a fragment');
  return url.href.replace(/\/+$/, '');
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `7d`, `12h`, `30m`, `45s`, or `0`; in milliseconds. */
export function parseDuration(given: Given): number {
  const match = /^(?:0|(\d{1,6})([smhd]))$/.exec(given.text);
  if (match === null) return refuse(given, 'must be a time such as 7d, 12h, 30m or 45s');
  return Number(match[1] ?? 0) * (UNIT_MS[match[2] ?? 's'] ?? 0);
}

export function parseModelHost(given: Given): string {
  return modelHost(given.text) ?? refuse(given, 'must be a host, host:port or URL without a password');
}

export function parseModel(given: Given): string {
  if (/^[\w.:/-]{1,120}$/.test(given.text)) return given.text;
  return refuse(given, 'must be a model name such as llama3.2:3b');
}

export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** One secret, or two while it is being changed. */
export function parseSecrets(given: Given): Secret[] {
  const items = parseList(given.text);
  if (items.length > 2) refuse(given, 'may hold two secrets at most, separated by a comma');
  return items.map((item) => new Secret(item));
}

export interface HookSecret {
  readonly project: string;
  readonly secret: Secret;
}
/** `secret` or `project=secret`; the `=` that pads base64 is not a separator. */
export function parseHookSecrets(given: Given): HookSecret[] {
  const found = parseList(given.text).map((item): HookSecret => {
    const at = item.indexOf('=');
    const rest = item.slice(at + 1);
    if (at < 1 || /^=*$/.test(rest)) return { project: DEFAULT_PROJECT, secret: new Secret(item) };
    return { project: checkProject(given, item.slice(0, at)), secret: new Secret(rest) };
  });
  for (const { project } of found) {
    if (found.filter((other) => other.project === project).length > 2) {
      refuse(given, `may hold two secrets at most for project ${project}`);
    }
  }
  return found;
}

export interface ServiceToken {
  readonly project: string;
  readonly name: string;
  readonly token: Secret;
}
export function parseServiceTokens(given: Given): ServiceToken[] {
  const tokens = parseList(given.text).map((item): ServiceToken => {
    const [left, token] = splitPair(given, item, ':', 'name:token or project/name:token');
    const slash = left.indexOf('/');
    const project = slash < 0 ? DEFAULT_PROJECT : checkProject(given, left.slice(0, slash));
    return { project, name: checkName(given, left.slice(slash + 1)), token: new Secret(token) };
  });
  checkDistinct(given, tokens);
  return tokens;
}

export interface ReviewerToken {
  readonly name: string;
  readonly token: Secret;
}
export function parseReviewerTokens(given: Given): ReviewerToken[] {
  const tokens = parseList(given.text).map((item): ReviewerToken => {
    const [name, token] = splitPair(given, item, ':', 'name:token');
    return { name: checkName(given, name), token: new Secret(token) };
  });
  checkDistinct(given, tokens);
  return tokens;
}

export interface SdkKey {
  readonly project: string;
  readonly key: string;
}
export function parseSdkKeys(given: Given): SdkKey[] {
  return parseList(given.text).map((item) => {
    const [project, key] = splitPair(given, item, ':', 'project:publickey');
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(key)) {
      refuse(given, 'must hold public keys of 1 to 64 letters, digits, dashes and underscores');
    }
    return { project: checkProject(given, project), key };
  });
}

export function parseMappings(given: Given): CodeMapping[] {
  return parseList(given.text).map((item) => {
    const at = item.indexOf('=');
    if (at < 0) refuse(given, 'must be written stack root=source root, pairs separated by commas');
    return { stack_root: item.slice(0, at).trim(), source_root: item.slice(at + 1).trim() };
  });
}

function splitPair(given: Given, item: string, separator: string, format: string): [string, string] {
  const at = item.indexOf(separator);
  if (at < 1 || at === item.length - 1)
    refuse(given, `must be written ${format}, several separated by commas`);
  return [item.slice(0, at).trim(), item.slice(at + 1).trim()];
}

export function checkProject(given: Given, project: string): string {
  if (PROJECT.test(project)) return project;
  return refuse(given, 'names a project that is not 1 to 64 letters, digits, dots, dashes or underscores');
}

function checkName(given: Given, name: string): string {
  if (NAME.test(name)) return name;
  return refuse(given, 'holds a name that is not 1 to 64 letters, digits, spaces or . _ @ -');
}

function checkDistinct(given: Given, tokens: readonly { readonly token: Secret }[]): void {
  if (new Set(tokens.map(({ token }) => token.reveal())).size < tokens.length) {
    refuse(given, 'gives the same token to two names; each token must say who uses it');
  }
}
