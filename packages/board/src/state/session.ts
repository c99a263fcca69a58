import type { Session } from '@culprit/client';
import { ApiError } from '@culprit/client';
import { type Access, mayIn, projectsWith, type Scope, scopesOf } from '@culprit/core/internal/domain/access';
import { computed, signal } from '@preact/signals';
import { api, coreUrl } from '../api.js';
import { secretOfLink } from './sign-in-link.js';

/** `unknown` while loading; `null` if signed out. */
export const who = signal<Session | null | 'unknown'>('unknown');
/** The reader; `null` while it is unknown, or signed out. */
export const me = computed(() => (who.value === 'unknown' ? null : who.value));
export function myName(): string | null {
  return me.value?.name ?? null;
}
/** What the reader may do. */
function access(): Access {
  return me.value?.grants ?? [];
}
/** Whether the reader has the scope in the project; without one, in any. */
export function may(scope: Scope, project?: string): boolean {
  return project === undefined ? scopesOf(access()).includes(scope) : mayIn(access(), scope, project);
}
/** Whether the reader has the scope in all projects: what concerns the installation is refused to others. */
export function mayEverywhere(scope: Scope): boolean {
  return projectsWith(access(), scope) === null;
}
/** False for a session that is limited to projects: edges and quotas are refused to it. */
export function seesInstallation(): boolean {
  return mayEverywhere('read');
}
/** Why the session ended; empty on a first visit. */
export const signedOutBecause = signal('');
/**
 * The sign-in link that opened this page, and whose session it opens. Nobody is signed in by it without a click: a stranger's link
 * would make their own name the one under which somebody works.
 */
export const offered = signal<{ readonly link: string; readonly name: string } | null>(null);
/** The message in the bar below the header. */
export const notice = signal<{
  readonly tone: 'red' | 'green';
  readonly text: string;
  /** The ID of the run that the message is about, if it is another one. */
  readonly run?: string;
  /** Core did not respond. The message leaves when the connection is back. */
  readonly offline?: boolean;
} | null>(null);
/** Text for screen readers. */
export const announcement = signal('');

/** Core shows the board in place of an issue or a file to a browser without a session, or with one that this link may not send. */
const isInPlace = location.origin + location.pathname !== `${coreUrl}/`;

export async function askWho(): Promise<void> {
  try {
    const session = await api.getSession();
    if (isInPlace && !wasReloaded()) location.reload();
    else who.value = session;
  } catch (error) {
    const isSignedOut = error instanceof ApiError && error.status === 401;
    if (isSignedOut) await readLink();
    who.value = null;
    if (!isSignedOut) report(error);
  }
}

/** Without a session in this browser: asks whose session the link in the address opens. */
async function readLink(): Promise<void> {
  if (secretOfLink === null) return;
  try {
    const { name } = await api.getSignInLinkHolder({ link: secretOfLink });
    offered.value = { link: secretOfLink, name };
  } catch (error) {
    signedOutBecause.value = error instanceof Error ? error.message : String(error);
  }
}

export function signedIn(session: Session): void {
  notice.value = null;
  signedOutBecause.value = '';
  offered.value = null;
  if (isInPlace) location.reload();
  else who.value = session;
}

/** Reloading again would show the same. */
function wasReloaded(): boolean {
  return performance.getEntriesByType('navigation').some((entry) => Reflect.get(entry, 'type') === 'reload');
}

/** Hides the board, also when the session expires. */
export function signedOut(why: string): void {
  who.value = null;
  signedOutBecause.value = why;
}

/** Shows an error. If the session has ended, shows the sign-in form. */
export function report(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) {
    signedOut('Your session has ended. Sign in again to return to this page.');
  } else {
    const offline = error instanceof ApiError && error.status === 0;
    notice.value = { tone: 'red', text: error instanceof Error ? error.message : String(error), offline };
  }
}
