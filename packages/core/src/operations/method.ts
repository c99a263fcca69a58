import type { EngineParts } from './engine-parts.js';
import type { Reach } from './reach.js';

/** What a row of a table of operations is carried out by. */
interface Operation {
  readonly handle: (parts: EngineParts, ...args: never[]) => Promise<unknown>;
}

type Call = (...args: never[]) => Promise<unknown>;

/** A method of the engine: what of it a caller sees who is limited to projects, and the method of a part that does it. */
export interface Method<Own> extends Operation {
  readonly reach: Reach;
  readonly own?: Own;
}

export function method<Part extends keyof EngineParts, Name extends keyof EngineParts[Part]>(
  reach: Reach,
  part: Part,
  name: Name,
): Method<EngineParts[Part][Name]> {
  return { reach, handle: (parts, ...args) => (parts[part] as Record<Name, Call>)[name](...args) };
}

/** The rows of a table as methods. */
export type MethodsOf<Rows> = {
  readonly [Name in keyof Rows]: Rows[Name] extends Method<infer Own> ? Own : never;
};

/** A method for each row of a table. `open` throws once the engine closes. */
export function methodsOf<Methods>(
  rows: Readonly<Record<keyof Methods, Operation>>,
  parts: EngineParts,
  open: () => void,
): Methods {
  const method = ([name, { handle }]: readonly [string, Operation]) => [
    name,
    async (...args: never[]) => {
      open();
      return handle(parts, ...args);
    },
  ];
  return Object.fromEntries(Object.entries<Operation>(rows).map(method));
}
