import { CulpritError } from '@culprit/core';

export function checkSize(payload: { readonly length: number }, eventBytes: number, path: string): void {
  if (payload.length <= eventBytes) return;
  throw new CulpritError(
    'too_large',
    `envelope exceeded size limits for type 'event' (${eventBytes} bytes)`,
    { path, members: { limit: 'event_item' } },
  );
}
