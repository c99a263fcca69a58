/** One rule of a port, to run against any implementation; `run` rejects with an AssertionError if it is broken. */
export interface ContractCase<Subject> {
  readonly name: string;
  run(make: () => Promise<Subject>): Promise<void>;
}

/** A rule that needs its own subject, which is closed even if the check fails. */
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
