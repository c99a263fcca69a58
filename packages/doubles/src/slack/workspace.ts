import { Windows } from '../shared/clock.js';
import type { OpenedForm } from './interactions.js';

export const BOT_TOKEN = 'xoxb-double-0000000000';
/** The secret of Slack's own example: https://docs.slack.dev/authentication/verifying-requests-from-slack */
export const SIGNING_SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
export const CHANNEL = 'C0123456789';

const MINUTE = 60_000;

export type Json = Record<string, unknown>;

export interface StoredMessage {
  readonly ts: string;
  readonly text: string;
  readonly blocks: readonly Json[];
  readonly metadata: unknown;
  /** Number of updates. */
  readonly edits: number;
}
/** A message in the thread of another one, which the channel's history does not list. */
export interface ThreadReply extends Pick<StoredMessage, 'ts' | 'text' | 'blocks'> {
  readonly thread_ts: string;
}
/** A message that only one person sees. */
export interface Whisper {
  readonly user: string;
  readonly text: string;
  readonly through: 'response_url' | 'chat.postEphemeral';
}
/** `internal`: made for one workspace. `distributed`: sold or shared outside the Marketplace. */
export type AppKind = 'internal' | 'distributed';

/** The double's state. */
export interface Workspace {
  readonly messages: StoredMessage[];
  readonly replies: ThreadReply[];
  readonly whispers: Whisper[];
  readonly forms: OpenedForm[];
  /** Trigger ids that can still open a form. */
  readonly triggers: Map<string, { readonly user: string; readonly until: number }>;
  /** Paths of response URLs. `until`: ms since 1970. */
  readonly hooks: Map<string, { readonly user: string; readonly until: number; uses: number }>;
  /** `ts` of other people's messages. */
  readonly chatter: string[];
  /** People who have left the channel. */
  readonly absent: Set<string>;
  /** The calls within the last minute, by method. */
  readonly calls: Windows;
  readonly app: AppKind;
  /** False: the app lacks `channels:history`. */
  history: boolean;
  /** How far ahead of this machine's clock Slack's is, in ms. */
  ahead: number;
  /** Time of the latest message, in microseconds since 1970. */
  latest: number;
}

/** Slack's time, in ms since 1970. */
export const timeOf = ({ ahead }: Workspace) => Date.now() + ahead;

/** The `ts` of the next message: its time, and unique in the channel. */
export function nextTs(workspace: Workspace): string {
  workspace.latest = Math.max(workspace.latest + 1, timeOf(workspace) * 1_000);
  const { latest } = workspace;
  return `${Math.floor(latest / 1_000_000)}.${String(latest % 1_000_000).padStart(6, '0')}`;
}

export function createWorkspace(app: AppKind): Workspace {
  const workspace: Workspace = {
    app,
    messages: [],
    replies: [],
    whispers: [],
    forms: [],
    triggers: new Map(),
    hooks: new Map(),
    chatter: [],
    absent: new Set(),
    calls: new Windows(() => timeOf(workspace), MINUTE),
    history: true,
    ahead: 0,
    latest: 0,
  };
  return workspace;
}

/** Slack's form of an error, with status 200. */
export const refused = (error: string, more: Json = {}): Json => ({ ok: false, error, ...more });

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
