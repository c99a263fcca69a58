import { createHash } from 'node:crypto';
import {
  type Access,
  ALL_SCOPES,
  accessOf,
  narrow,
  ROLES,
  type Scope,
} from '@culprit/core/internal/domain/access';
import { nameWithSubject } from '@culprit/core/internal/domain/person';
import { withoutUnseen } from '@culprit/core/internal/pipeline/draft/visible';
import type { Provided } from '../sessions.js';
import { ALL_PROJECTS, type OidcOptions, readRole, type SignInProblem } from './options.js';

export type Claims = Readonly<Record<string, unknown>>;

const EVERYBODY = '*';
const MAIL = 'email';
const MAIL_VERIFIED = 'email_verified';
/** Values of one claim that are looked at. */
const MAX_VALUES = 2_000;
const LONGEST_NAME = 64;

/** Who signed in. `problem`: why they may not. */
export type Person =
  | { readonly name: string; readonly provided: Provided; readonly problem?: undefined }
  | { readonly problem: SignInProblem; readonly provided: Provided };

/** The person that verified claims describe. `sub` and `iss` are checked to be texts. */
export function personOf(claims: Claims, options: OidcOptions): Person {
  const { iss = '', sub = '', sid } = claims as { readonly [claim: string]: unknown };
  const subject = subjectHash(String(iss), String(sub));
  const provided: Provided = {
    subject,
    sid: typeof sid === 'string' ? sidHash(String(iss), sid) : null,
    roles: known(valuesOf(claims, options.rolesClaim), options.roles),
    projects: known(valuesOf(claims, options.projectsClaim), options.projects),
  };
  const access = providedAccessOf(provided, options);
  if (access === null) return { problem: 'no_role', provided };
  if (access.length === 0) return { problem: 'no_project', provided };
  return { name: nameWithSubject(displayName(claims), subject.slice(0, 8)), provided };
}

/** What the configuration allows; `null`: there is no role. Empty: there is one, but in no project. */
export function providedAccessOf({ roles, projects }: Provided, options: OidcOptions): Access | null {
  const byProject = new Map<string | null, Set<Scope>>();
  for (const text of givenBy([...roles, EVERYBODY], options.roles)) {
    const { role, project } = readRole(text);
    const scopes = byProject.get(project) ?? new Set();
    for (const scope of ROLES[role]) scopes.add(scope);
    byProject.set(project, scopes);
  }
  if (byProject.size === 0) return null;
  const access = accessOf(byProject);
  if (Object.keys(options.projects).length === 0) return access;
  const named = givenBy([...projects, EVERYBODY], options.projects);
  return narrow(access, [{ scopes: ALL_SCOPES, projects: named.includes(ALL_PROJECTS) ? null : named }]);
}

function givenBy<Gift extends string>(
  values: readonly string[],
  rows: Readonly<Record<string, Gift | readonly Gift[]>>,
): readonly Gift[] {
  return values.flatMap((value) => (Object.hasOwn(rows, value) ? (rows[value] ?? []) : []));
}

/** Whether the claims that decide, and a name, are there; otherwise the provider's userinfo may have them. */
export function isComplete(claims: Claims, { rolesClaim, projectsClaim, projects }: OidcOptions): boolean {
  const deciding = [rolesClaim, ...(Object.keys(projects).length === 0 ? [] : [projectsClaim])];
  const needed = deciding.includes(MAIL) ? [...deciding, MAIL_VERIFIED] : deciding;
  return needed.every((claim) => claimAt(claims, claim) !== undefined) && nameOf(claims) !== null;
}

/** Stable, and does not reveal the subject. */
export function subjectHash(issuer: string, subject: string): string {
  return hashOf('subject', issuer, subject);
}

export function sidHash(issuer: string, sid: string): string {
  return hashOf('sid', issuer, sid);
}

function hashOf(...parts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(['culprit', ...parts]))
    .digest('hex');
}

/** Only values that the configuration names are kept. */
function known(values: readonly string[], rows: Readonly<Record<string, unknown>>): string[] {
  return [...new Set(values)].filter((value) => value !== EVERYBODY && Object.hasOwn(rows, value));
}

function valuesOf(claims: Claims, claim: string): readonly string[] {
  // An address that nobody has checked could be anybody's.
  if (claim === MAIL && claims[MAIL_VERIFIED] !== true) return [];
  const found = claimAt(claims, claim);
  if (typeof found === 'string') return [found];
  if (!Array.isArray(found)) return [];
  return found.slice(0, MAX_VALUES).filter((value): value is string => typeof value === 'string');
}

/** The claim of this name; otherwise the member at this path. */
function claimAt(claims: Claims, claim: string): unknown {
  if (Object.hasOwn(claims, claim)) return claims[claim];
  let found: unknown = claims;
  for (const part of claim.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Claims)[part];
  }
  return found;
}

function displayName(claims: Claims): string {
  return nameOf(claims) ?? 'Unnamed';
}

function nameOf({ name, preferred_username, nickname, email }: Claims): string | null {
  for (const given of [name, preferred_username, nickname, email]) {
    const text = typeof given === 'string' ? cleanName(given) : '';
    if (/[\p{L}\p{N}]/u.test(text)) return text;
  }
  return null;
}

/**
 * Letters, digits, spaces and `._@'-`, as in the names of tokens: nothing that is markup, reorders text, or looks like the subject
 * that follows the name.
 */
function cleanName(text: string): string {
  const plain = withoutUnseen(text.slice(0, LONGEST_NAME * 8).normalize('NFKC'))
    .replace(/\s+/gu, ' ')
    .replace(/[^\p{L}\p{M}\p{N} ._@'’-]/gu, '')
    // At most two marks on a letter: more cover the lines around it.
    .replace(/(\p{M}{2})\p{M}+/gu, '$1')
    .replace(/^[\s\p{M}]+/u, '');
  return [...plain].slice(0, LONGEST_NAME).join('').trim();
}
