/** One law of a port, to be run against any implementation; `run` rejects with an AssertionError where it is broken. */
export interface ContractCase<Subject> {
  readonly name: string;
  run(make: () => Promise<Subject>): Promise<void>;
}

/** A law that needs one subject of its own, closed whatever comes of it. */
export function onSubject<Subject extends { close?(): Promise<void> }>(
  name: string,
  check: (subject: Subject) => Promise<void>,
): ContractCase<Subject> {
  return {
    name,
    run: async (make) => {
      const subject = await make();
      try {
        await check(subject);
      } finally {
        await subject.close?.();
      }
    },
  };
}
