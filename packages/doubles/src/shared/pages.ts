/** A page of a list, counted from 1. */
export interface Page {
  readonly page: number;
  readonly size: number;
}

/** The page that a request asks for. `sizeName`: the parameter with the number of entries of a page. */
export function pageIn(query: URLSearchParams, sizeName: string, usual: number, most = 100): Page {
  const whole = (name: string, otherwise: number) =>
    Math.max(1, Number(query.get(name) ?? otherwise) || otherwise);
  return { page: whole('page', 1), size: Math.min(most, whole(sizeName, usual)) };
}

export function entriesOf<Entry>(all: readonly Entry[], { page, size }: Page): readonly Entry[] {
  return all.slice((page - 1) * size, page * size);
}

/** A `Link` header that names the next page, if there is one. */
export function nextPage(all: readonly unknown[], { page, size }: Page, url: URL): Record<string, string> {
  return page * size < all.length ? linkTo(url, { page: String(page + 1) }) : {};
}

/** A `Link` header to the same list with other parameters; `null` removes one. */
export function linkTo(url: URL, changes: Readonly<Record<string, string | null>>): Record<string, string> {
  const next = new URL(url);
  for (const [name, value] of Object.entries(changes))
    if (value === null) next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  return { link: `<${next}>; rel="next"` };
}
