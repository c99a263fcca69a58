import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import { networkOf } from '../http/client-address.js';
import type { RequestHead } from '../http/message.js';
import type { Recognised } from './reviewers.js';

const SIGN_IN_WINDOW_MS = 5 * 60 * 1000;
/** Addresses in memory; the least recently used is evicted first. */
const ADDRESSES = 10_000;
/** An address that names others, as a proxy does, may fail so many times more often than each of them. */
const FAILURES_OF_PROXY = 10;

export interface SignInLimit {
  /**
   * How long the client has to wait in ms; `null` if it may try. A right token never waits, so that failures of others lock
   * nobody out; a guessable one only if it was accepted before. `reviewer`: whose token it is, if it is right.
   */
  wait(head: RequestHead, reviewer: Recognised | null): number | null;
  failed(head: RequestHead): void;
  /** Remembers that the token was accepted. */
  succeeded(reviewer: Recognised): void;
}

/** Credentials that were accepted before; shared by all ways to sign in. */
export type Proven = Pick<Set<string>, 'has' | 'add'>;

/**
 * Counts failed attempts in windows of five minutes: for each address, or IPv6 network, and separately for each client
 * that the last `x-forwarded-for` of an address names. A proxy that is not in `TRUSTED_PROXIES` adds this entry itself, so
 * its clients do not shut each other out; a client that invents entries reaches the higher limit of its address.
 */
export function createSignInLimit(failures: number, now: () => number, proven: Proven): SignInLimit {
  const windows = boundedMap<string, { count: number; readonly until: number }>(ADDRESSES);
  const current = (key: string) => {
    const window = windows.get(key);
    const left = (window?.until ?? 0) - now();
    // More is left than a window has if the clock was set back.
    if (window !== undefined && left > 0 && left <= SIGN_IN_WINDOW_MS) return window;
    windows.delete(key);
    return null;
  };
  const count = (key: string) => {
    const window = current(key);
    if (window !== null) window.count++;
    else windows.set(key, { count: 1, until: now() + SIGN_IN_WINDOW_MS });
  };
  const waitOf = (key: string, most: number) => {
    const window = current(key);
    return window !== null && window.count >= most ? window.until - now() : null;
  };
  return {
    wait(head, reviewer) {
      if (reviewer !== null && (!reviewer.guessable || proven.has(reviewer.credential))) return null;
      const { address, client } = keysOf(head);
      const most = client === null ? failures : failures * FAILURES_OF_PROXY;
      return waitOf(address, most) ?? (client === null ? null : waitOf(client, failures));
    },
    failed(head) {
      const { address, client } = keysOf(head);
      count(address);
      if (client !== null) count(client);
    },
    succeeded: ({ credential }) => void proven.add(credential),
  };
}

const LONGEST_ENTRY = 64;

function keysOf({ remoteAddress, headers }: RequestHead) {
  const address = networkOf(remoteAddress);
  const last = headers['x-forwarded-for']?.split(',').at(-1)?.trim().slice(0, LONGEST_ENTRY) ?? '';
  return { address, client: last === '' ? null : `${address} for ${last}` };
}
