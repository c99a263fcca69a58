import type { Event } from '@culprit/core';
import type { Frame } from '@culprit/core/internal/domain/event';

/** The exceptions and frames as text for a chat or a search: the crash first, the throwing frame on top. */
export function stackText({ exceptions, message }: Pick<Event, 'exceptions' | 'message'>): string {
  if (exceptions.length === 0) return message ?? '';
  return [...exceptions]
    .reverse()
    .map(({ type, value, frames }, at) =>
      [
        `${at === 0 ? '' : 'Caused by: '}${type ?? 'Error'}${value === null ? '' : `: ${value}`}`,
        ...[...frames].reverse().map((frame) => `    at ${frameText(frame)}`),
      ].join('\n'),
    )
    .join('\n');
}

function frameText({ function: name, file, module, line, column }: Frame): string {
  const place = [file ?? module ?? 'unknown', line, line === null ? null : column]
    .filter((part) => part !== null)
    .join(':');
  return name === null ? place : `${name} (${place})`;
}
