/** What became of one item. */
export type Outcome = 'done' | 'failed' | 'unsent';

export interface Worked<Item> {
  readonly item: Item;
  readonly outcome: Outcome;
  /** Why it failed, or was not sent. */
  readonly why: string;
}

export interface WorkOptions<Item> {
  readonly items: readonly Item[];
  /** Items in progress at once. */
  readonly atOnce: number;
  readonly work: (item: Item) => Promise<unknown>;
  /** Whether the error concerns all items, such as a lost connection: then the rest is not sent. */
  readonly stops: (error: unknown) => boolean;
  readonly signal: AbortSignal;
  readonly worked: (one: Worked<Item>) => void;
}

/** Works on every item once. Resolves when each has an outcome; an item that was in progress is finished first. */
export async function workThrough<Item>(options: WorkOptions<Item>): Promise<void> {
  const { items, atOnce, work, stops, signal, worked } = options;
  let next = 0;
  let stopped = '';
  const one = async (item: Item): Promise<void> => {
    if (stopped !== '' || signal.aborted) {
      worked({ item, outcome: 'unsent', why: stopped === '' ? 'Stopped.' : stopped });
      return;
    }
    try {
      await work(item);
      worked({ item, outcome: 'done', why: '' });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      // It may have arrived. The work is idempotent, so it is safe to ask again.
      if (stops(error)) stopped = why;
      worked({ item, outcome: stops(error) ? 'unsent' : 'failed', why });
    }
  };
  const line = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await one(item);
  };
  await Promise.all(Array.from({ length: atOnce }, line));
}
