import type { DiffHunk } from '../ports/code-host.js';

export interface LineEdit {
  readonly kind: ' ' | '+' | '-';
  readonly text: string;
}

/** The edits from one text to another by their longest common subsequence; for small files. */
export function lineEdits(before: readonly string[], after: readonly string[]): readonly LineEdit[] {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const edits: LineEdit[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      edits.push({ kind: ' ', text: before[i++] ?? '' });
      j++;
    } else if (i < before.length && (j >= after.length || at(i + 1, j) >= at(i, j + 1))) {
      edits.push({ kind: '-', text: before[i++] ?? '' });
    } else edits.push({ kind: '+', text: after[j++] ?? '' });
  }
  return edits;
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
