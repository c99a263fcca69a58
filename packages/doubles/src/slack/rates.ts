import { timeOf, type Workspace } from './workspace.js';

const WINDOW_MS = 60_000;
/** Calls a minute; the methods that are not listed are unlimited here. */
const RATES = {
  internal: { 'conversations.history': 50, 'chat.postEphemeral': 100 },
  distributed: { 'conversations.history': 1, 'chat.postEphemeral': 100 },
} as const satisfies Record<Workspace['app'], Record<string, number>>;

/** Counts a call. The seconds to wait if it exceeds its rate, else 0. */
export function takeRate(method: string, workspace: Workspace): number {
  const rate = new Map<string, number>(Object.entries(RATES[workspace.app])).get(method);
  if (rate === undefined) return 0;
  const now = timeOf(workspace);
  const recent = (workspace.recent.get(method) ?? []).filter((at) => at > now - WINDOW_MS);
  workspace.recent.set(method, recent);
  const [first = now] = recent;
  if (recent.length >= rate) return Math.max(1, Math.ceil((first + WINDOW_MS - now) / 1_000));
  recent.push(now);
  return 0;
}
