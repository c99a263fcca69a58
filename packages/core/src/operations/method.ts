import type * as v from 'valibot';
import type { ErrorCode } from '../errors/catalogue.js';
import type { EngineParts } from './engine-parts.js';
import type { Reach } from './reach.js';

/** What a host describes a `GET` of a run with, or of what is below it. Its method takes the run's id and, if it needs one, the reviewer. */
export interface RunRead {
  /** The `operationId`: a verb and what it acts on. */
  readonly id: string;
  /** Below the run. */
  readonly path: '' | `/${string}`;
  readonly summary: string;
  readonly what: string;
  /** Of the answer; a media type: it is a text. */
  readonly schema: v.GenericSchema | 'text/markdown';
  /** In addition to `run_not_found`. */
  readonly problems?: readonly ErrorCode[];
  /** What of the answer is shown to a credential without another scope in the run's project. */
  readonly without?: { readonly scope: 'investigate'; readonly shown: (answer: never) => unknown };
}

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
