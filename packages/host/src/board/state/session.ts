import { signal } from '@preact/signals';
import { ApiError } from '../../client/api-error.js';
import type { SessionInfo } from '../../core/schema/session.js';
import { api } from '../api.js';

/** `unknown`: being asked; `null`: nobody is signed in. */
export const who = signal<SessionInfo | null | 'unknown'>('unknown');
/** Why somebody has to sign in again; empty at a first visit. */
export const signedOutBecause = signal('');
/** Something that core refused or that went wrong, for the bar below the top; `null`: nothing. */
export const notice = signal<{ readonly tone: 'red' | 'green'; readonly text: string } | null>(null);
/** Read out politely, once. */
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

/** Also where the session ended by itself: what was on the screen is no longer for everybody's eyes. */
export function signedOut(why: string): void {
  who.value = null;
  signedOutBecause.value = why;
}

/** Shows what went wrong. An ended session leads to the sign-in form. */
export function report(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) {
    signedOut('Your session has ended. Sign in again; you come back to where you were.');
  } else {
    notice.value = { tone: 'red', text: error instanceof Error ? error.message : String(error) };
  }
}
