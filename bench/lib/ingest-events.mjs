import { readdirSync, readFileSync } from 'node:fs';
import { parseEnvelope } from '@culprit/connectors/sentry';
import { sanitiseJson } from '@culprit/core/internal/pipeline/sanitise/sanitise';

/** Every event of the fixtures. */
export function fixtureEvents(folder) {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const bytes = readFileSync(new URL(name, folder));
      if (name.startsWith('env-')) return eventsOf(bytes).map((crash) => ({ name, crash }));
      return name.startsWith('ev-') ? [{ name, crash: JSON.parse(bytes) }] : [];
    });
}

function eventsOf(bytes) {
  try {
    return parseEnvelope(bytes).items.flatMap(({ type, payload }) =>
      type === 'event' ? [JSON.parse(Buffer.from(payload).toString())] : [],
    );
  } catch {
    return [];
  }
}

/** What @sentry/node 11 sends for a crash, 4.6 KB, with nothing to redact. */
export function clean46(folder) {
  const [event] = eventsOf(readFileSync(new URL('env-node11-exception.bin', folder)));
  const clean = JSON.stringify(sanitiseJson(event).value).replaceAll(/\[redacted:\w+\]/g, 'x');
  return { text: clean, crash: JSON.parse(clean) };
}
