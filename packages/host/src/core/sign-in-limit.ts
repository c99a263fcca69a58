import { boundedMap } from '@culprit/core/resilience';
import { networkOf } from '../http/client-address.js';

export const SIGN_IN_WINDOW_MS = 5 * 60 * 1000;
/** Addresses in memory; the least recently used is evicted first. */
const ADDRESSES = 10_000;

export interface SignInLimit {
  /** How long the address has to wait in ms; `null` if it may try. */
  wait(address: string): number | null;
  failed(address: string): void;
}

/** Counts failed sign-ins per address, or IPv6 network, in windows of five minutes. */
export function createSignInLimit(failures: number, now: () => number): SignInLimit {
  const windows = boundedMap<string, { count: number; readonly until: number }>(ADDRESSES);
  const current = (network: string) => {
    const window = windows.get(network);
    if (window !== undefined && window.until > now()) return window;
    windows.delete(network);
    return null;
  };
  return {
    wait(address) {
      const window = current(networkOf(address));
      return window !== null && window.count >= failures ? window.until - now() : null;
    },
    failed(client) {
      const address = networkOf(client);
      const window = current(address);
      if (window !== null) {
        window.count++;
        return;
      }
      windows.set(address, { count: 1, until: now() + SIGN_IN_WINDOW_MS });
    },
  };
}
