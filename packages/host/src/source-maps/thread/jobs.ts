import type { OriginalFrame } from '@culprit/core/internal/ports/source-maps';
import type { BuiltPlace } from './read-map.js';
import type { Unpacked, UnpackRequest } from './unpack.js';

/** What the thread does, and what it answers. */
export interface Jobs {
  readonly read: {
    readonly request: { readonly path: string; readonly places: readonly BuiltPlace[] };
    readonly answer: readonly (OriginalFrame | null)[];
  };
  readonly unpack: { readonly request: UnpackRequest; readonly answer: Unpacked };
}
export type JobName = keyof Jobs;

export interface JobMessage {
  readonly name: JobName;
  readonly request: Jobs[JobName]['request'];
}
export type JobAnswer =
  | { readonly ok: true; readonly value: unknown }
  /** `refused`: the sender's fault, with the text for the sender. */
  | {
      readonly ok: false;
      readonly refused: boolean;
      readonly detail: string;
      readonly code: string | undefined;
    };
