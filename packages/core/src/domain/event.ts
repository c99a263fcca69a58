import type { JsonObject } from './json.js';
import type { Trust } from './trust.js';

/** All severities, most severe first. */
export const LEVELS = ['fatal', 'error', 'warning', 'info', 'debug'] as const;
/** The severity of an event. */
export type Level = (typeof LEVELS)[number];

/** The doors of the edge, and the two ways in without one. */
export const DOORS = ['webhook', 'native', 'sdk', 'embedded'] as const;
/** How a delivery was received: webhook, native or SDK. */
export type Door = (typeof DOORS)[number];

/**
 * One line of a stack, as the platform reported it, sanitised and trimmed. Frames are oldest first:
 * the last frame threw. Members that the sender omitted are `null`.
 */
export interface Frame {
  /** The file as reported: relative, absolute or a URL; `null` if the platform has none (native). */
  readonly file: string | null;
  /** The absolute path or URL where it differs from `file`. */
  readonly abs_path: string | null;
  readonly module: string | null;
  /** The binary, assembly or package that holds the code. */
  readonly package: string | null;
  readonly function: string | null;
  /** 1-based. */
  readonly line: number | null;
  /** 1-based. */
  readonly column: number | null;
  /** True for the project's own code; `null` if not reported. */
  readonly in_app: boolean | null;
  readonly platform: string | null;
  readonly context_line: string | null;
  readonly pre_context: readonly string[];
  readonly post_context: readonly string[];
  readonly vars: JsonObject | null;
  readonly instruction_addr: string | null;
  /** Identifies the build of a JavaScript file and its source map, lower-case with dashes. Absent if not reported. */
  readonly debug_id?: string | undefined;
}

/** One exception of a chain. In events, the last exception in the list was raised last (outermost). */
export interface CrashException {
  readonly type: string | null;
  readonly value: string | null;
  readonly module: string | null;
  /** False if it ended the program or the request; `null` if not reported. */
  readonly handled: boolean | null;
  /** True if the reporter made up the type; it is then not used for titles or grouping. */
  readonly synthetic: boolean;
  readonly mechanism: JsonObject | null;
  readonly frames: readonly Frame[];
}

/** One normalised crash, in the same shape for every door and platform. Frozen as `culprit.event/1`. */
export interface Event {
  readonly event_id: string;
  readonly project: string;
  readonly door: Door;
  /** Absent in events stored by older versions: the door's; see `trustOf`. */
  readonly trust?: Trust | undefined;
  /** Id of the tracker connector that received it. Absent in events stored by older versions. */
  readonly tracker?: string | undefined;
  /** ISO 8601, UTC, milliseconds; when it crashed, by the reporter's clock corrected where known. */
  readonly timestamp: string;
  /** ISO 8601, UTC; when the edge accepted it. */
  readonly received_at: string;
  readonly level: Level;
  readonly platform: string;
  readonly message: string | null;
  /** The message template before its parameters were filled in, if reported. */
  readonly message_template: string | null;
  readonly exceptions: readonly CrashException[];
  readonly release: string | null;
  readonly dist: string | null;
  readonly environment: string | null;
  /** The commit that was running, if reported explicitly. */
  readonly commit: string | null;
  readonly server_name: string | null;
  readonly transaction: string | null;
  readonly logger: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly user: JsonObject | null;
  readonly request: JsonObject | null;
  readonly contexts: JsonObject;
  readonly breadcrumbs: readonly JsonObject[];
  /** Also contains every unknown member. */
  readonly extra: JsonObject;
  readonly modules: Readonly<Record<string, string>>;
  /** The reporter's own grouping key; `null` if it sent none. */
  readonly fingerprint: readonly string[] | null;
  readonly sdk: { readonly name: string; readonly version: string } | null;
  /** What was received with the crash and not stored. */
  readonly attachments: readonly { readonly name: string; readonly bytes: number }[];
  /** Paths of members that were truncated, for display. */
  readonly trimmed: readonly string[];
  /** Number of values that the sanitiser redacted. */
  readonly redactions: number;
  /** SHA-256 of the delivery's body as sent, lower-case hex; `null` if there was none (embedded). */
  readonly raw_sha256: string | null;
}
