import { Windows } from '../shared/windows.js';
import type { OpenedForm } from './interactions.js';

export const MINUTE = 60_000;

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
