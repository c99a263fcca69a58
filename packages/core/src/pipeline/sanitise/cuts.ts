/** Replaces a redacted text. `kind` is a rule's id. */
export function marker(kind: string): string {
  return `[redacted:${kind}]`;
}

const WHOLE_MARKER = /^\[redacted:[a-z0-9_-]{1,40}\]$/;
const MASKED =
  /^(?:[*•.]{1,64}|[xX]{3,64}|[[<(*]{0,3}(?:filtered|redacted|masked|hidden|scrubbed)[\])>*]{0,3})$/i;

/** Whether a value is already redacted: by us, by an SDK (`[Filtered]`), or as a row of asterisks. */
export function isMasked(value: string): boolean {
  return WHOLE_MARKER.test(value) || MASKED.test(value);
}

/** A part of a text to redact; `kind` is the id in its marker. */
export interface Cut {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}

export const NO_CUTS: readonly Cut[] = [];

/** Replaces the cuts, which are in order and do not overlap, by their markers. */
export function replaceCuts(text: string, cuts: readonly Cut[]): string {
  let out = '';
  let done = 0;
  for (const { from, to, kind } of cuts) {
    out += text.slice(done, from) + marker(kind);
    done = to;
  }
  return out + text.slice(done);
}

/** The cuts in order, with overlapping ones merged. A merged cut has the kind of the first one in the list. */
export function uniteCuts(cuts: readonly Cut[]): readonly Cut[] {
  if (cuts.length < 2) return cuts;
  const order = cuts
    .map((cut, index) => ({ ...cut, index }))
    .sort((a, b) => a.from - b.from || a.index - b.index);
  const united: (Cut & { index: number })[] = [];
  for (const cut of order) {
    const last = united.at(-1);
    if (last === undefined || cut.from >= last.to) {
      united.push(cut);
      continue;
    }
    const first = cut.index < last.index ? cut : last;
    united[united.length - 1] = { ...first, from: last.from, to: Math.max(last.to, cut.to) };
  }
  return united;
}
