import type { Session } from '@culprit/client';
import { ApiError } from '@culprit/client';
import { signal } from '@preact/signals';
import type { Scope } from '../../core/scopes.js';
import { api, coreUrl } from '../api.js';

/** `unknown` while loading; `null` if signed out. */
export const who = signal<Session | null | 'unknown'>('unknown');
/** False for a session that is limited to projects: edges, quotas and settings of the installation are refused to it. */
export function seesInstallation(): boolean {
  const me = who.value;
  return me !== null && me !== 'unknown' && me.projects === null;
}
/** Whether the session has this scope. */
export function may(scope: Scope): boolean {
  const me = who.value;
  return me !== null && me !== 'unknown' && me.scopes.includes(scope);
}
/** Why the session ended; empty on a first visit. */
export const signedOutBecause = signal('');
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
    const me = await api.session();
    if (isInPlace && !wasReloaded()) location.reload();
    else who.value = me;
  } catch (error) {
    who.value = null;
    if (!(error instanceof ApiError && error.status === 401)) report(error);
  }
}

export function signedIn(me: Session): void {
  notice.value = null;
  signedOutBecause.value = '';
  if (isInPlace) location.reload();
  else who.value = me;
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
