interface Page {
  readonly next: string | null;
}

/** Every entry of a list, page by page: the next page is read when its first entry is asked for. */
export async function* everyEntry<Read extends Page, Entry>(
  read: (cursor: string | undefined) => Promise<Read>,
  entriesOf: (page: Read) => readonly Entry[],
): AsyncGenerator<Entry, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield* entriesOf(page);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
}
