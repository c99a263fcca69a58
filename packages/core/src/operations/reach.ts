import type { Run, RunSummary } from '../domain/run.js';

/** What a caller who is limited to projects may see. */
export interface Limits {
  readonly projects: readonly string[];
  /** Whether a run belongs to one of them. */
  own(run: Pick<RunSummary, 'project'>): boolean;
  /** The run. Rejects if it belongs to another project. */
  run(runId: string): Promise<Run>;
  /** Throws if the project is another one. */
  project(name: string): void;
  /** Those of the runs that exist and belong to the projects. */
  visible(runIds: readonly string[]): Promise<ReadonlySet<string>>;
}

type Call = (...args: readonly unknown[]) => unknown;
/** Carries out an operation within the limits; `call` is the operation itself. */
type Guard = (limits: Limits, call: Call, ...args: readonly unknown[]) => unknown;

/**
 * What an operation shows a caller who is limited to projects. `installation`: it concerns all projects, so it is refused. `none`:
 * nothing in it belongs to a project.
 */
export type Reach = 'installation' | 'none' | Guard;

/** The reach of an operation with these arguments. */
export function within<Args extends readonly unknown[], Result>(
  guard: (limits: Limits, call: (...args: Args) => Result, ...args: Args) => Result,
): Guard {
  return guard as unknown as Guard;
}

/** The first argument is the id of a run. */
export const OF_RUN = within(
  async (limits, call: (runId: string, ...rest: readonly unknown[]) => unknown, runId: string, ...rest) => {
    await limits.run(runId);
    return call(runId, ...rest);
  },
);

/** The first argument is the name of a project. */
export const OF_PROJECT = within(
  async (
    limits,
    call: (project: string, ...rest: readonly unknown[]) => unknown,
    project: string,
    ...rest
  ) => {
    limits.project(project);
    return call(project, ...rest);
  },
);

interface Row {
  readonly reach: Reach;
}
type Methods<Rows> = { readonly [Name in keyof Rows]: (...args: never[]) => unknown };

/** The operations of a table as the limits allow them. `refuse` rejects. */
export function limitOperations<Rows extends Readonly<Record<string, Row>>, Own extends Methods<Rows>>(
  rows: Rows,
  methods: Own,
  limits: Limits,
  refuse: () => Promise<never>,
): Pick<Own, keyof Rows & keyof Own> {
  const limited = Object.entries(rows).map(([name, { reach }]) => {
    const call = methods[name] as unknown as Call;
    if (reach === 'none') return [name, call];
    if (reach === 'installation') return [name, refuse];
    return [name, (...args: readonly unknown[]) => reach(limits, call, ...args)];
  });
  return Object.fromEntries(limited);
}
