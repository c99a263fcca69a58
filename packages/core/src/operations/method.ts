import type { Reach } from './reach.js';

/** A method of the engine: what of it a caller sees who is limited to projects, and how it is done. */
export interface Method<Parts, Args extends readonly unknown[], Result> {
  readonly reach: Reach;
  readonly handle: (parts: Parts, ...args: Args) => Promise<Result>;
}

/** The rows of a table as methods. */
export type MethodsOf<Rows> = {
  readonly [Name in keyof Rows]: Rows[Name] extends Method<never, infer Args, infer Result>
    ? (...args: Args) => Promise<Result>
    : never;
};

/** A method for each row of a table. `open` throws once the engine closes. */
export function methodsOf<Row>(
  rows: Readonly<Record<string, Row>>,
  open: () => void,
  call: (row: Row, args: readonly never[]) => Promise<unknown>,
): object {
  const method = ([name, row]: readonly [string, Row]) => [
    name,
    async (...args: readonly never[]) => {
      open();
      return call(row, args);
    },
  ];
  return Object.fromEntries(Object.entries(rows).map(method));
}
