import type { EngineParts } from './engine-parts.js';
import type { Reach } from './reach.js';

/** A method of the engine: what of it a caller sees who is limited to projects, and how it is done. */
export interface Method<Args extends readonly unknown[], Result> {
  readonly reach: Reach;
  readonly handle: (parts: EngineParts, ...args: Args) => Promise<Result>;
}

export function method<Args extends readonly unknown[], Result>(
  reach: Reach,
  handle: (parts: EngineParts, ...args: Args) => Promise<Result>,
): Method<Args, Result> {
  return { reach, handle };
}

/** The rows of a table as methods. */
export type MethodsOf<Rows> = {
  readonly [Name in keyof Rows]: Rows[Name] extends Method<infer Args, infer Result>
    ? (...args: Args) => Promise<Result>
    : never;
};

interface Row {
  readonly handle: (parts: EngineParts, ...args: never[]) => Promise<unknown>;
}

/** A method for each row of a table. `open` throws once the engine closes. */
export function methodsOf<Methods>(
  rows: Readonly<Record<keyof Methods, Row>>,
  parts: EngineParts,
  open: () => void,
): Methods {
  const method = ([name, { handle }]: readonly [string, Row]) => [
    name,
    async (...args: never[]) => {
      open();
      return handle(parts, ...args);
    },
  ];
  return Object.fromEntries(Object.entries<Row>(rows).map(method));
}
