import { CulpritError } from '@culprit/core';
import { editDistance } from '@culprit/core/internal/domain/edit-distance';

/** A setting as it was written, and where. */
export interface Given {
  readonly text: string;
  /** The parsed JSON of a member of `culprit.json`; `undefined` for flags and variables. */
  readonly json?: unknown;
  /** `EDGE_PORT`, `--edge-port` or `culprit.json: edgePort`. */
  readonly origin: string;
  readonly key: string;
}

export interface ReadContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Base of relative paths. */
  readonly cwd: string;
  /** Another setting as it was written; `null`: it is not. Absent: nothing is known of others. */
  readonly written?: (key: string) => string | null;
}

/** How a setting's value is written and read. */
export interface SettingType<Value> {
  /** For help and the reference, with limits: `0–65535`. */
  readonly format: string;
  /** True: a member of `culprit.json` may be any JSON. Otherwise it is text, a number, a boolean or a list of texts. */
  readonly structured?: true;
  /** True: the value is or may contain a secret. */
  readonly secret?: true;
  /** Throws `configuration`. Error texts never repeat the value: it may be a secret. */
  read(given: Given, context: ReadContext): Value;
}

/** One row of the table of settings. */
export interface Setting<Value = unknown, Default extends string | null = string | null> {
  /** `null`: only in the file. */
  readonly env: string | null;
  /** Without dashes; absent for secrets, which would show in process lists, and for rarely used settings. */
  readonly flag?: string;
  readonly type: SettingType<Value>;
  /** As an operator would write it. Absent: no value. */
  readonly default?: Default;
  /** What applies without a value, for help and the reference. */
  readonly otherwise?: string;
  /** True: the value is or may contain a secret. */
  readonly secret?: true;
  /**
   * Generated on loopback if it is not set. An empty `door` setting closes the door; an empty `server` setting counts as not
   * set, because the servers cannot run without it.
   */
  readonly generated?: 'door' | 'server';
  /** One or two sentences. */
  readonly meaning: string;
}

export type SettingRows = Readonly<Record<string, Setting>>;

type ValueOf<Row> =
  Row extends Setting<infer Value, infer Default> ? (Default extends null ? Value | null : Value) : never;

/** The configuration that a table describes. */
export type ValuesOf<Rows> = { readonly [Key in keyof Rows]: ValueOf<Rows[Key]> };

/** A row without its name. `env`: absent if it follows from the key. */
type Unnamed<Value, Default extends string | null> = Omit<Setting<Value, Default>, 'env'> & {
  readonly env?: string | null;
};
type Named<Rows> = {
  readonly [Key in keyof Rows]: Rows[Key] extends Unnamed<infer Value, infer Default>
    ? Setting<Value, Default>
    : never;
};

export function setting<Value, const Default extends string | null = null>(
  type: SettingType<Value>,
  row: Omit<Unnamed<Value, Default>, 'type'>,
): Unnamed<Value, Default> {
  return { type, ...(type.secret && { secret: true }), ...row };
}

/** Gives each row its variable: that of `edgePort` is `EDGE_PORT`. */
export function named<const Rows extends Readonly<Record<string, Unnamed<unknown, string | null>>>>(
  rows: Rows,
): Named<Rows> {
  return Object.fromEntries(
    Object.entries(rows).map(([key, row]) => [key, { env: variableOf(key), ...row }]),
  ) as Named<Rows>;
}

/** `EDGE_PORT` of `edgePort`. */
export function variableOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

export function refuse({ origin, key }: Pick<Given, 'origin' | 'key'>, problem: string): never {
  throw new CulpritError('configuration', `${origin} ${problem}.`, { path: key, members: { origin } });
}

/** `problem` names the key; a known name close to it is suggested. */
export function unknownKey(problem: string, key: string, known: readonly string[]): CulpritError {
  const near = suggest(key, known);
  return new CulpritError('configuration', `${problem}.${near === null ? '' : ` Did you mean ${near}?`}`, {
    path: key,
  });
}

/** The known name nearest to a mistyped one, or `null` if none is near. */
export function suggest(name: string, known: readonly string[]): string | null {
  const wanted = fold(name);
  const reach = Math.max(1, Math.floor(wanted.length / 4));
  const [best] = known
    .map((one) => ({ one, folded: fold(one) }))
    .filter(({ folded }) => Math.abs(folded.length - wanted.length) <= reach)
    .map(({ one, folded }) => ({ one, distance: editDistance(wanted, folded) }))
    .filter(({ distance }) => distance <= reach)
    .sort((left, right) => left.distance - right.distance);
  return best?.one ?? null;
}

/** Dashes, underscores and case are spelling, not meaning. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '').slice(0, 60);
}
