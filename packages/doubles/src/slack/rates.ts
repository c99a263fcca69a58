import { MINUTE, type Workspace } from './workspace.js';

/** Calls a minute; the methods that are not listed are unlimited here. */
const RATES = {
  internal: { 'conversations.history': 50, 'chat.postEphemeral': 100 },
  distributed: { 'conversations.history': 1, 'chat.postEphemeral': 100 },
} as const satisfies Record<Workspace['app'], Record<string, number>>;

/** Counts a call. The seconds to wait if it exceeds its rate, else 0. */
export function takeRate(method: string, { app, calls }: Workspace): number {
  const rate = new Map<string, number>(Object.entries(RATES[app])).get(method) ?? Infinity;
  const wait = calls.wait(method, 1, rate, MINUTE);
  if (wait === 0) calls.note(method, 1);
  return wait;
}
