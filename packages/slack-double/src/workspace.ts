import type { OpenedForm } from './interactions.js';

export type Json = Record<string, unknown>;

export interface StoredMessage {
  readonly ts: string;
  readonly text: string;
  readonly blocks: readonly Json[];
  readonly metadata: unknown;
  /** Number of updates. */
  readonly edits: number;
}
export interface Whisper {
  readonly user: string;
  readonly text: string;
}

/** The double's state. */
export interface Workspace {
  readonly messages: StoredMessage[];
  readonly whispers: Whisper[];
  readonly forms: OpenedForm[];
  /** Trigger ids that can still open a form. */
  readonly triggers: Map<string, { readonly user: string; readonly until: number }>;
  /** Paths of response URLs. */
  readonly hooks: Map<string, { readonly user: string; uses: number }>;
  /** False: the app lacks `channels:history`. */
  history: boolean;
  /** Time of the latest message, seconds since 1970. */
  clock: number;
}

export function createWorkspace(): Workspace {
  return {
    messages: [],
    whispers: [],
    forms: [],
    triggers: new Map(),
    hooks: new Map(),
    history: true,
    clock: 1_767_600_000,
  };
}
