/** Ceilings of one envelope. Over them: `too_large`. */
export const SENTRY_LIMITS = {
  /** One event item (Relay's `max_event_size`). */
  eventBytes: 1024 * 1024,
  /** One header line; no SDK comes near (Bugsink allows 8 KiB). */
  headerBytes: 16 * 1024,
  items: 500,
  /** The protocol allows one; Android writes a second when a Java crash takes the native side down. */
  events: 2,
  /** Noted by name and size; more are only counted. */
  attachments: 30,
} as const;
