import { CulpritError } from '@culprit/core/connector';

/** Limits of one envelope. Beyond them: `too_large`. Its bytes as a whole are the receiver's limit. */
export const SENTRY_LIMITS = {
  /** One event item (Relay's `max_event_size`). */
  eventBytes: 1024 * 1024,
  /** One header line, and the blanks before it. SDKs stay far below (Bugsink allows 8 KiB). */
  headerBytes: 16 * 1024,
  items: 500,
  /** The protocol allows one. Android sends a second when a Java crash takes down the native side. */
  events: 2,
  /** Attachments recorded by name and size; further ones are only counted. */
  attachments: 30,
} as const;

export function checkSize(payload: { readonly length: number }, eventBytes: number, path: string): void {
  if (payload.length <= eventBytes) return;
  throw new CulpritError(
    'too_large',
    `envelope exceeded size limits for type 'event' (${eventBytes} bytes)`,
    { path, members: { limit: 'event_item' } },
  );
}
