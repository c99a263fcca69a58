import type { DraftText, Section } from './draft-source.js';
import { codeSpan, tableCell } from './safe-markdown.js';

const MOST_TAGS = 12;

/** What helps to find the crash elsewhere. */
export function detailsSection({ event, incident, outgoing }: DraftText): readonly Section[] {
  const rows: (readonly [string, string])[] = [
    ['event', event.event_id],
    ['fingerprint', incident.fingerprint.hash.slice(0, 16)],
    ...(event.server_name === null ? [] : [['server', event.server_name] as const]),
    ...Object.entries(event.tags)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, MOST_TAGS),
  ];
  const lines = rows.map(
    ([name, value]) => `| ${tableCell(codeSpan(name, 60))} | ${tableCell(codeSpan(outgoing(value), 160))} |`,
  );
  const table = ['| | |', '|---|---|', ...lines].join('\n');
  return [
    {
      name: 'details',
      expendable: 10,
      text: `<details><summary>Details</summary>\n\n${table}\n\n</details>`,
    },
  ];
}
