import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@culprit/core';
import type { Values } from '@culprit/core/internal/ports/values';
import { unauthenticated } from '../authenticate.js';
import { seal, unseal } from '../sealed.js';
import { confirmed, type Session, sameGifts } from '../sessions.js';
import { type ApplyingParts, applyClaims } from './apply-claims.js';
import { personOf } from './claims.js';
import { type OidcOptions, SignInError } from './options.js';
import type { OidcProvider } from './provider.js';

/** Until the provider is asked again after it could not be asked. */
const AGAIN_MS = 60_000;
/** A session whose claims the provider has not confirmed for this long is refused, and works again once it does. */
export const UNCONFIRMED_MS = 60 * 60_000;
/** Longer than a core takes to ask: at most four requests of five seconds. */
const ASKING_MS = 30_000;
/** How often somebody who waits for another core looks. */
const LOOK_MS = 100;

export interface ConfirmParts extends ApplyingParts {
  readonly options: OidcOptions;
  readonly provider: OidcProvider;
  readonly now: () => number;
  readonly logger: Logger;
}

/** See `OidcSignIn.confirm`. One request asks at a time, on all cores: many providers accept a refresh token once. */
export function createConfirm(parts: ConfirmParts) {
  const { sessions, now, logger } = parts;
  const asking = new Map<string, Promise<Session | null>>();
  const end = async (values: Values, { key, name }: Session, why: string): Promise<null> => {
    logger.info({ reviewer: name }, why);
    await sessions.close(values, key);
    await parts.ended(key);
    return null;
  };
  /** Nothing is known yet. `kept`: the refresh token for the next time, if there is another. */
  const unknown = (values: Values, session: Session, error: SignInError, kept?: string) => {
    logger.warn({ problem: error.problem, err: error.cause }, 'cannot ask the provider about a session');
    const next_at = now() + AGAIN_MS;
    return sessions.plan(values, session, (before) => ({
      ...before,
      ...(kept === undefined ? {} : { sealed: kept }),
      next_at,
      asking: false,
    }));
  };
  /** Only by whoever has set `asking`. */
  const ask = async (values: Values, id: string, session: Session, kept: string) => {
    const token = unseal(kept, id);
    if (token === null) return end(values, session, 'a refresh token cannot be read: session ended');
    try {
      const { claims, refreshToken, unread } = await parts.provider.refresh(token);
      if (unread !== undefined) return unknown(values, session, unread, seal(refreshToken ?? token, id));
      const provided = claims && personOf(claims, parts.options).provided;
      if (provided && provided.subject !== session.person)
        return end(values, session, 'the provider names another person: session ended');
      const before = session.vouched?.provided;
      if (provided && before && !sameGifts(before, provided)) {
        await applyClaims(parts, values, provided);
        return end(values, session, 'the provider gives other roles now: sessions ended');
      }
      return sessions.plan(values, session, () => confirmed(refreshToken ?? token, id, now()));
    } catch (error) {
      if (!(error instanceof SignInError)) throw error;
      if (error.problem === 'expired')
        return end(values, session, 'the provider refused to confirm: session ended');
      return unknown(values, session, error);
    }
  };
  const takeTurn = async (values: Values, id: string, session: Session): Promise<Session | null> => {
    for (let current: Session | null = session; current !== null; ) {
      let mine = false;
      const taken = await sessions.plan(values, current, (before) => {
        mine = before.next_at <= now();
        return mine ? { ...before, asking: true, next_at: now() + ASKING_MS } : undefined;
      });
      if (taken?.confirmation && mine) return ask(values, id, taken, taken.confirmation.sealed);
      if (!taken?.confirmation?.asking) return taken;
      await delay(LOOK_MS);
      current = await sessions.find(values, id);
    }
    return null;
  };
  return async (values: Values, id: string, session: Session): Promise<Session | null> => {
    const { key, confirmation } = session;
    if (confirmation === null) return session;
    let found: Session | null = session;
    if (confirmation.next_at <= now() || confirmation.asking) {
      const turn = asking.get(key) ?? takeTurn(values, id, session).finally(() => asking.delete(key));
      asking.set(key, turn);
      found = await turn;
    }
    if (found?.confirmation && now() - found.confirmation.confirmed_at > UNCONFIRMED_MS) throw unconfirmed();
    return found;
  };
}

function unconfirmed(): Error {
  const detail =
    'The sign-in provider could not be asked for an hour whether you still have your roles. Your session goes on when it responds.';
  return unauthenticated(detail);
}
