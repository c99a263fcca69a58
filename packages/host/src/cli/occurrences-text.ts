import type { OccurrenceEntry, RunStatistics } from '@culprit/core';
import { print, styleFor } from '../log/terminal.js';
import { clipped, plural, tableText } from './print.js';

/** Tags shown above the list, and values of each. */
const TAGS = 8;
const VALUES = 3;

interface Page {
  readonly occurrences: readonly OccurrenceEntry[];
  readonly next: string | null;
}

/** The tags of a run with their most frequent values, then a page of its occurrences. */
export function printOccurrences(
  { occurrences, next }: Page,
  statistics: RunStatistics,
  total: number,
): void {
  const style = styleFor(process.stdout);
  const { users, tags } = statistics;
  const counted = statistics.occurrences === total ? '' : ` (${statistics.occurrences} with details)`;
  const affected = users.count === 0 ? '' : `, ${users.more ? 'over ' : ''}${plural(users.count, 'user')}`;
  print(`${plural(total, 'crash', 'crashes')}${counted}${affected}\n\n`);
  for (const tag of tags.slice(0, TAGS)) {
    const shares = tag.values.slice(0, VALUES).map(({ value, occurrences: times }) => {
      return `${clipped(value, 40)} ${Math.round((100 * times) / tag.occurrences)} %`;
    });
    print(`  ${style('dim', clipped(tag.name, 20).padEnd(20))}  ${shares.join(', ')}\n`);
  }
  if (occurrences.length === 0) return void print('No occurrences are stored.\n');
  const rows = occurrences.map(({ number, received_at, release, environment, door, trust, user, stored }) => [
    String(number),
    received_at.slice(0, 19).replace('T', ' '),
    clipped(release ?? '', 30),
    clipped(environment ?? '', 20),
    trust === 'untrusted' ? `${door} (public key)` : door,
    clipped(user ?? '', 30),
    stored ? 'yes' : '',
  ]);
  const head = ['NO', 'RECEIVED (UTC)', 'RELEASE', 'ENVIRONMENT', 'DOOR', 'USER', 'EVENT'];
  print(`\n${tableText([head, ...rows], (cell, row) => (row === 0 ? style('dim', cell) : cell))}`);
  if (next !== null) print(style('dim', `Older ones: --cursor ${next}\n`));
}
