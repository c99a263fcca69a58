/** At most `count` pieces of work at once; the others wait, first come, first served. */
export function semaphore(count: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return async (work) => {
    if (taken < count) taken++;
    // Who leaves hands the seat over, so nobody slips in between.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else taken--;
    }
  };
}
