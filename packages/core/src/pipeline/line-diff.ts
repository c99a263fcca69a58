import type { DiffHunk } from '../ports/code-host.js';

export interface LineEdit {
  readonly kind: ' ' | '+' | '-';
  readonly text: string;
}

/** Maximum table size of the longest common subsequence; beyond it the middle is shown as replaced. */
const MAX_CELLS = 4_000_000;

/** The edits from one text to another. */
export function lineEdits(before: readonly string[], after: readonly string[]): readonly LineEdit[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return [
    ...edits(' ', before.slice(0, head)),
    ...middleEdits(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...edits(' ', before.slice(before.length - tail)),
  ];
}

const edits = (kind: LineEdit['kind'], lines: readonly string[]) =>
  lines.map((text): LineEdit => ({ kind, text }));

/** By the longest common subsequence. */
function middleEdits(before: readonly string[], after: readonly string[]): readonly LineEdit[] {
  const width = after.length + 1;
  if ((before.length + 1) * width > MAX_CELLS) return [...edits('-', before), ...edits('+', after)];
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
  const found: LineEdit[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    if (row < before.length && column < after.length && before[row] === after[column]) {
      found.push({ kind: ' ', text: before[row++] ?? '' });
      column++;
    } else if (
      row < before.length &&
      (column === after.length || at(row + 1, column) >= at(row, column + 1))
    ) {
      found.push({ kind: '-', text: before[row++] ?? '' });
    } else found.push({ kind: '+', text: after[column++] ?? '' });
  }
  return found;
}

/** Hunks like `git diff`: three lines of context, adjacent ones merged. */
export function hunksOf(edits: readonly LineEdit[], context = 3): readonly DiffHunk[] {
  const wanted = new Set<number>();
  edits.forEach(({ kind }, index) => {
    if (kind === ' ') return;
    for (let near = index - context; near <= index + context; near++) wanted.add(near);
  });
  const hunks: { old_start: number; new_start: number; edits: LineEdit[] }[] = [];
  let oldLine = 1;
  let newLine = 1;
  edits.forEach((edit, index) => {
    if (wanted.has(index)) {
      if (!wanted.has(index - 1) || hunks.length === 0) {
        hunks.push({ old_start: oldLine, new_start: newLine, edits: [] });
      }
      hunks.at(-1)?.edits.push(edit);
    }
    if (edit.kind !== '+') oldLine++;
    if (edit.kind !== '-') newLine++;
  });
  return hunks.map((hunk) => {
    const old_lines = hunk.edits.filter(({ kind }) => kind !== '+').length;
    const new_lines = hunk.edits.filter(({ kind }) => kind !== '-').length;
    return {
      old_start: old_lines === 0 ? hunk.old_start - 1 : hunk.old_start,
      old_lines,
      new_start: new_lines === 0 ? hunk.new_start - 1 : hunk.new_start,
      new_lines,
      section: '',
      lines: hunk.edits.map(({ kind, text }) => kind + text),
    };
  });
}
