import type { Door } from '../../domain/event.js';
import type { Source } from '../../domain/source.js';
import type { DraftText, Section } from './draft-source.js';
import { codeSpan, tableCell } from './safe-markdown.js';

const MOST_TAGS = 12;
const DOOR_WORDS: Readonly<Record<Door, string>> = {
  webhook: 'the signed webhook',
  native: 'the native door (service token)',
  sdk: 'the SDK door (public key)',
  embedded: 'the embedding application',
};

/** Identifiers and tags for finding the crash in other systems. */
export function detailsSection({ event, incident, scrub }: DraftText): readonly Section[] {
  const rows: (readonly [string, string])[] = [
    ['level', incident.level],
    ['platform', incident.platform],
    ...(event.server_name === null ? [] : [['server', event.server_name] as const]),
    ...Object.entries(event.tags)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, MOST_TAGS),
    ['event', event.event_id],
    ['fingerprint', incident.fingerprint.hash.slice(0, 16)],
  ];
  const lines = rows.map(
    ([name, value]) => `| ${tableCell(codeSpan(name, 60))} | ${tableCell(codeSpan(scrub(value), 160))} |`,
  );
  const doors = doorsOf(incident);
  const table = ['| Field | Value |', '|---|---|', `| Reported through | ${doors} |`, ...lines].join('\n');
  return [
    {
      name: 'details',
      expendable: 10,
      text: `<details><summary>Details</summary>\n\n${table}\n\n</details>`,
    },
  ];
}

/** With counts if crashes came in several ways. */
function doorsOf({ doors, sources }: DraftText['incident']): string {
  if (sources === undefined) return doors.map((door) => DOOR_WORDS[door]).join(', ');
  return sources
    .map((source) => {
      const alone = sources.length === 1 || source.occurrences === 0;
      return alone ? wayOf(source) : `${wayOf(source)}: ${source.occurrences}`;
    })
    .join(', ');
}

/** A webhook is named by its trackers, because several share that door. */
function wayOf({ door, trust, trackers = [] }: Source): string {
  const open = door !== 'sdk' && trust === 'untrusted';
  const words = open ? `the ${door} door (public key)` : DOOR_WORDS[door];
  if (door !== 'webhook' || trackers.length === 0) return words;
  return `${words} of ${trackers.map((name) => tableCell(codeSpan(name, 40))).join(' and ')}`;
}
