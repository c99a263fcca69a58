import { signal } from '@preact/signals';
import { ApiError } from '../../client/api-error.js';
import type { SessionInfo } from '../../core/schema/session.js';
import { api } from '../api.js';

/** `unknown` while loading; `null` if signed out. */
export const who = signal<SessionInfo | null | 'unknown'>('unknown');
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

export async function askWho(): Promise<void> {
  try {
    who.value = await api.session();
  } catch (error) {
    who.value = null;
    if (!(error instanceof ApiError && error.status === 401)) report(error);
  }
}

export function signedIn(me: SessionInfo): void {
  notice.value = null;
  signedOutBecause.value = '';
  who.value = me;
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
