import type { RestAnswer } from './client.js';

/** Where a page is: parameters of its request. */
export type Page = Readonly<Record<string, string>>;

/** Where the `Link` header leads: page numbers end at 10,000 issues, its cursors do not. */
export function nextPage({ headers }: RestAnswer): Page | null {
  const address = /<([^>]+)>;\s*rel="next"/.exec(String(headers.link ?? ''))?.[1];
  if (address === undefined || !URL.canParse(address)) return null;
  const { searchParams } = new URL(address);
  const at = ['after', 'page'].flatMap((name) => {
    const value = searchParams.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return at.length === 0 ? null : Object.fromEntries(at);
}
