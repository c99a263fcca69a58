import type { JsonObject, JsonValue } from './json.js';

/** All severities, most severe first. */
export const LEVELS = ['fatal', 'error', 'warning', 'info', 'debug'] as const;
/** The severity of an event. */
export type Level = (typeof LEVELS)[number];

/** The doors through which a delivery can come. */
export const DOORS = ['webhook', 'native', 'sdk', 'embedded'] as const;
/** How a delivery was received: webhook, native or SDK. */
export type Door = (typeof DOORS)[number];

/**
 * One line of a stack, as the platform reported it, sanitised and trimmed. Frames are oldest first:
 * the last frame threw. Every member is optional in what comes in; absent is `null` here.
 */
export interface Frame {
  /** The file as reported: relative, absolute or a URL; `null` where the platform has none (native). */
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
  /** True: the project's own code. `null`: not said. */
  readonly in_app: boolean | null;
  readonly platform: string | null;
  readonly context_line: string | null;
  readonly pre_context: readonly string[];
  readonly post_context: readonly string[];
  readonly vars: JsonObject | null;
  readonly instruction_addr: string | null;
}

/** One exception of a chain. In events the last exception of the list was raised last (outermost). */
export interface CrashException {
  readonly type: string | null;
  readonly value: string | null;
  readonly module: string | null;
  /** False: it ended the program or the request. `null`: not said. */
  readonly handled: boolean | null;
  /** True: the type is the reporter's invention, so it is used neither for titles nor for grouping. */
  readonly synthetic: boolean;
  readonly mechanism: JsonObject | null;
  readonly frames: readonly Frame[];
}

/** One normalised crash: the same shape whatever door and platform it came from. Frozen as `culprit.event/1`. */
export interface Event {
  readonly event_id: string;
  readonly project: string;
  readonly door: Door;
  /** ISO 8601, UTC, milliseconds; when it crashed, by the reporter's clock corrected where known. */
  readonly timestamp: string;
  /** ISO 8601, UTC; when the edge accepted it. */
  readonly received_at: string;
  readonly level: Level;
  readonly platform: string;
  readonly message: string | null;
  /** The message before its parameters were filled in, where the reporter told it. */
  readonly message_template: string | null;
  readonly exceptions: readonly CrashException[];
  readonly release: string | null;
  readonly dist: string | null;
  readonly environment: string | null;
  /** The commit that ran, where the reporter told it in so many words. */
  readonly commit: string | null;
  readonly server_name: string | null;
  readonly transaction: string | null;
  readonly logger: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly user: JsonObject | null;
  readonly request: JsonObject | null;
  readonly contexts: JsonObject;
  readonly breadcrumbs: readonly JsonObject[];
  /** Also holds every member that has no place of its own here. */
  readonly extra: JsonObject;
  readonly modules: Readonly<Record<string, string>>;
  /** The reporter's own grouping key; `null` where it gave none. */
  readonly fingerprint: readonly string[] | null;
  readonly sdk: { readonly name: string; readonly version: string } | null;
  /** What came with the crash and was not kept. */
  readonly attachments: readonly { readonly name: string; readonly bytes: number }[];
  /** Paths of members that were cut to their limit, in words for a person. */
  readonly trimmed: readonly string[];
  /** How many values the sanitiser took out. */
  readonly redactions: number;
  /** SHA-256 of the delivery's body as sent, lower-case hex; `null` where there was none (embedded). */
  readonly raw_sha256: string | null;
}

/** A crash as a door hands it over: sanitised JSON of unknown shape. */
export type CrashObject = { readonly [key: string]: JsonValue | undefined };
