import { SHAPE_LIMITS } from '@culprit/core/internal/pipeline/crash-object/fit-shape';

const ROOM = SHAPE_LIMITS.depth + 1;

/** Detects duplicates among members whose names are numbers, without a hash table that a sender could flood. */
export class NumericNames {
  private readonly numbers: number[] = [];
  /** By depth: where the open object's numbers begin, and whether they ascend, as `JSON.stringify` writes them. */
  private readonly starts = new Uint32Array(ROOM);
  private readonly ascend = new Uint8Array(ROOM);

  /** Call before each document. */
  begin(): void {
    this.numbers.length = 0;
  }

  open(depth: number): void {
    this.starts[depth] = this.numbers.length;
    this.ascend[depth] = 1;
  }

  add(depth: number, number: number): void {
    const { numbers } = this;
    const isFirst = numbers.length === this.starts[depth];
    if (!isFirst && number <= (numbers[numbers.length - 1] ?? 0)) this.ascend[depth] = 0;
    numbers.push(number);
  }

  /** Returns false if a number is a duplicate. */
  close(depth: number): boolean {
    const start = this.starts[depth] ?? 0;
    if (this.numbers.length === start) return true;
    const isSound = this.ascend[depth] === 1 || allDiffer(Float64Array.from(this.numbers.slice(start)));
    this.numbers.length = start;
    return isSound;
  }
}

function allDiffer(numbers: Float64Array): boolean {
  numbers.sort();
  for (let index = 1; index < numbers.length; index++) {
    if (numbers[index] === numbers[index - 1]) return false;
  }
  return true;
}
