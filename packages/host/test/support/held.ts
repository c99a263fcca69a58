import { type Connector, CulpritError } from '@culprit/core';

/** An analysis that waits until the test continues it, and a publisher that asks to wait for an hour. */
export function held(): { readonly connector: Connector; finish(): void } {
  let finish = () => {};
  const free = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const explain = async (): Promise<never> => {
    await free;
    throw new Error('no model');
  };
  const create = async (): Promise<never> => {
    throw new CulpritError('publish_wait', 'Too many issues.', { retryAfterMs: 3_600_000 });
  };
  return {
    finish,
    connector: {
      id: 'held',
      setup: () => ({
        explainer: { name: 'held', explain },
        publisher: { listsAtOnce: true, find: async () => null, read: async () => null, create },
      }),
    },
  };
}
