import { type Budget, matchesSegment, type SegmentGlob, segmentGlob } from './segment-glob.js';

/** Any number of folders, also none. */
const FOLDERS = { folders: true } as const;

/** A pattern of paths: its segments, and what may follow them. */
export interface PathPattern {
  readonly segments: readonly (SegmentGlob | typeof FOLDERS)[];
  /** `nothing`: a file. `something`: files in the folder. `anything`: the file, or files in a folder of this name. */
  readonly rest: 'nothing' | 'something' | 'anything';
}

/** As in `.gitignore`, except that a last `*` matches no folders: `docs/*` owns only what is directly in `docs`. */
export function githubPattern(text: string): PathPattern {
  if (text === '/') return { segments: [''], rest: 'nothing' };
  const parts = text.replace(/^\//, '').split('/');
  const inFolder = parts.length > 1 && parts.at(-1) === '';
  if (inFolder) parts.pop();
  const anywhere = parts.length === 1 && !text.startsWith('/');
  const below = inFolder || parts.at(-1) === '**';
  if (!inFolder && below) parts.pop();
  const segments = parts.map((part) => (part === '**' ? FOLDERS : segmentGlob(part, false)));
  const rest = below ? 'something' : parts.at(-1) === '*' ? 'nothing' : 'anything';
  return { segments: anywhere ? [FOLDERS, ...segments] : segments, rest };
}

/** As Ruby's `File.fnmatch` with `FNM_DOTMATCH` and `FNM_PATHNAME`, of a pattern that `gitlabNormalised` returned. */
export function gitlabPattern(normalised: string): PathPattern {
  const parts = normalised.slice(1).split('/');
  const last = parts.length - 1;
  const segments = parts.map((part, at) => (part === '**' && at < last ? FOLDERS : segmentGlob(part, true)));
  return { segments, rest: 'nothing' };
}

/** As GitLab does before it matches; it knows a pattern by the result. */
export function gitlabNormalised(text: string): string {
  if (text === '*') return '/**/*';
  const clean = text.replace(/^\\#/, '#').replace(/\\\s+/g, ' ');
  const anchored = clean.startsWith('/') ? clean : `/**/${clean}`;
  return anchored.endsWith('/') ? `${anchored}**/*` : anchored;
}

/** `path` in segments. Goes back to the last `**` only: what an earlier one could skip, the last one can, too. */
export function matchesPath(
  { segments, rest }: PathPattern,
  path: readonly string[],
  budget: Budget,
): boolean {
  let wanted = 0;
  let at = 0;
  let folders = -1;
  let from = 0;
  for (;;) {
    budget.left -= 1;
    const segment = segments[wanted];
    if (segment === undefined && isEnd(rest, path.length - at)) return true;
    if (segment === FOLDERS) {
      folders = wanted++;
      from = at;
      continue;
    }
    const name = path[at];
    const isMatch =
      segment !== undefined && name !== undefined && matchesSegment(segment as SegmentGlob, name, budget);
    if (isMatch) {
      wanted++;
      at++;
      continue;
    }
    if (folders < 0 || from >= path.length) return false;
    wanted = folders + 1;
    at = ++from;
  }
}

function isEnd(rest: PathPattern['rest'], left: number): boolean {
  if (rest === 'nothing') return left === 0;
  return rest === 'anything' || left > 0;
}
