/** One law of a port, to be run against any implementation; `run` rejects with an AssertionError where it is broken. */
export interface ContractCase<Subject> {
  readonly name: string;
  run(make: () => Promise<Subject>): Promise<void>;
}
