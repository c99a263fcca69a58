import type { Site } from '../site.js';

const LONGEST = 1_500;

/** Where a browser goes after its sign-in: a path of the board, with query and fragment. Anything else is the board itself. */
export function returnPath(asked: string | undefined, { url, origin, path }: Site): string {
  const home = `${path}/`;
  if (asked === undefined || asked.length > LONGEST || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(asked)) return home;
  if (!URL.canParse(asked, url)) return home;
  const { origin: other, pathname, search, hash } = new URL(asked, url);
  if (other !== origin || pathname.startsWith('//')) return home;
  const own = pathname === path || pathname.startsWith(home);
  return own && !pathname.startsWith(`${path}/sign-in`) ? `${pathname}${search}${hash}` : home;
}

/** The same path with the reason why the sign-in failed, which the board shows. */
export function withProblem(path: string, problem: string, { url }: Pick<Site, 'url'>): string {
  const { pathname, searchParams, hash } = new URL(path, url);
  searchParams.set('sign_in_problem', problem);
  return `${pathname}?${searchParams}${hash}`;
}
