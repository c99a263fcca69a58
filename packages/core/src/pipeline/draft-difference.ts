import * as v from 'valibot';
import type { Draft } from '../domain/draft.js';
import { about, type Doc, named, text, texts } from '../domain/schema.js';

const listChangeSchema = v.object({ added: texts, removed: texts });
/** What was added to and removed from a list of a draft. */
export interface ListChange extends Doc<typeof listChangeSchema> {}

export const draftDifferenceSchema = named(
  'DraftDifference',
  'What a reviewer changed in the generated draft.',
  v.object({
    same: about(v.boolean(), 'The draft equals the generated one, byte for byte.'),
    machine: v.object({ digest: v.string(), title: v.string() }),
    current: v.object({ digest: v.string(), title: v.string(), edited_by: text }),
    labels: listChangeSchema,
    assignees: listChangeSchema,
    body: about(v.string(), 'The change of the body as a unified diff; empty if it is unchanged.'),
  }),
);
/** How a reviewer changed the generated draft. */
export interface DraftDifference extends Doc<typeof draftDifferenceSchema> {}

/** The difference between two drafts, with the change of the body as a unified diff. */
export function draftDifference(machine: Draft, current: Draft): DraftDifference {
  return {
    same: machine.digest === current.digest,
    machine: { digest: machine.digest, title: machine.title },
    current: { digest: current.digest, title: current.title, edited_by: current.edited_by },
    labels: listChange(machine.labels, current.labels),
    assignees: listChange(machine.assignees, current.assignees),
    body: unifiedDiff(machine.body, current.body),
  };
}

function listChange(before: readonly string[], after: readonly string[]): ListChange {
  return {
    added: after.filter((name) => !before.includes(name)),
    removed: before.filter((name) => !after.includes(name)),
  };
}

const AROUND = 3;
/** Maximum table size of the longest common subsequence; beyond it the middle is shown as replaced. */
const MAX_CELLS = 4_000_000;

type Row = readonly [sign: ' ' | '-' | '+', text: string];

/** Lines of two texts as `diff -u` shows them, without file names; empty if they are equal. */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return '';
  const rows = rowsOf(before.split('\n'), after.split('\n'));
  const shown = new Set<number>();
  rows.forEach(([sign], index) => {
    if (sign === ' ') return;
    for (let near = index - AROUND; near <= index + AROUND; near++) shown.add(near);
  });
  const text: string[] = [];
  let [oldLine, newLine] = [1, 1];
  for (let index = 0; index < rows.length; ) {
    let end = index;
    while (end < rows.length && shown.has(end)) end++;
    if (end > index) {
      const part = rows.slice(index, end);
      const count = (left: ' ' | '-' | '+') => part.filter(([sign]) => sign !== left).length;
      text.push(`@@ -${oldLine},${count('+')} +${newLine},${count('-')} @@`);
      for (const [sign, line] of part) text.push(sign + line);
    }
    for (const [sign] of rows.slice(index, Math.max(end, index + 1))) {
      if (sign !== '+') oldLine++;
      if (sign !== '-') newLine++;
    }
    index = Math.max(end, index + 1);
  }
  return text.join('\n');
}

function rowsOf(before: readonly string[], after: readonly string[]): readonly Row[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const same = (lines: readonly string[]) => lines.map((line): Row => [' ', line]);
  return [
    ...same(before.slice(0, head)),
    ...middleRows(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

/** By the longest common subsequence. */
function middleRows(before: readonly string[], after: readonly string[]): readonly Row[] {
  const width = after.length + 1;
  if ((before.length + 1) * width > MAX_CELLS) {
    return [...before.map((line): Row => ['-', line]), ...after.map((line): Row => ['+', line])];
  }
  const common = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const rows: Row[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    if (row < before.length && column < after.length && before[row] === after[column]) {
      rows.push([' ', before[row++] ?? '']);
      column++;
    } else if (
      row < before.length &&
      (column === after.length || at(row + 1, column) >= at(row, column + 1))
    ) {
      rows.push(['-', before[row++] ?? '']);
    } else rows.push(['+', after[column++] ?? '']);
  }
  return rows;
}
