import { CulpritError } from '@culprit/core/connector';
import { spreadOverFiles } from '@culprit/core/internal/pipeline/investigate/spread';
import type {
  FolderEntry,
  Found,
  HistoryQuery,
  IsAllowed,
  RepositoryQuestions,
  SourceMatch,
} from '@culprit/core/internal/ports/code-host';
import { semaphore } from '@culprit/core/internal/resilience/semaphore';
import { entriesOf } from './blame.js';
import { commandFailed, type GitCall, type GitReader, type PartialOutput } from './client.js';
import { LISTED_FORMAT, parseListed } from './commits.js';
import { DIFF_OPTIONS } from './environment.js';
import { parseTree, readObjects } from './objects.js';
import type { Opened } from './repository.js';
import { requireCommit } from './revision.js';
import { textAt } from './source.js';
import { decode, isRepositoryPath, splitLines } from './text.js';

/** Questions that are answered at once; blame of a gate needs the other places of `client.ts`. */
const AT_ONCE = 2;
/** Of each answer. Pickaxe over 34,000 commits takes 10 s, with a pattern 22 s: what was found by then is the answer. */
const LIMIT_MS = { search: 10_000, history: 20_000 } as const;
/**
 * Of the output. Matches behind `found` are reported as `more`. `all` is more, so that matches in files that are not allowed push out no
 * others: git cannot leave these files out by a rule that is not its own. They may only change how long an answer takes.
 */
const MAX_BYTES = { found: 4 * 1024 * 1024, all: 16 * 1024 * 1024 } as const;
/** Of one matching line. */
const MATCH_CHARS = 2_000;

/** Answers from the objects that a revision reaches, which nothing newer is among. `timeoutMs`: of every command, if that is less. */
export function createQuestions(
  open: (path: string, signal: AbortSignal) => Promise<Opened>,
  timeoutMs: number,
): Required<RepositoryQuestions> {
  const places = semaphore(AT_ONCE);
  const inTurn =
    <Asked, Answer>(ask: (git: GitReader, revision: string, asked: Asked) => Promise<Answer>) =>
    (repository: string, revision: string, asked: Asked, signal: AbortSignal): Promise<Answer> =>
      places(async () => {
        const { git } = await open(repository, signal);
        return ask(git, await requireCommit(git, revision), asked);
      }, signal);
  return {
    contained: inTurn(async (git, revision, commit) => {
      const name = commit.toLowerCase();
      if (!/^[0-9a-f]{7,64}$/.test(name)) return null;
      const [found] = await readObjects(git, [`${name}^{commit}`]);
      if (found?.type !== 'commit' || !found.oid.startsWith(name)) return null;
      const outcome = await git.run(['merge-base', '--is-ancestor', found.oid, revision]);
      return outcome.kind === 'exited' && outcome.code === 0 ? found.oid : null;
    }),

    lines: inTurn(async (git, revision, path) => {
      const text = await textAt(git, revision, path);
      return text === null ? null : splitLines(text);
    }),

    folder: inTurn(async (git, revision, path) => {
      const folder = withoutSlash(path);
      if (folder !== '' && !isRepositoryPath(folder)) return null;
      const prefix = folder === '' ? '' : `${folder}/`;
      const args = ['ls-tree', '-z', '--full-tree', revision, '--', ...(folder === '' ? [] : [prefix])];
      const { stdout } = await git.partial(args);
      const entries = [...parseTree(stdout)].flatMap(({ kind, path: found }): FolderEntry[] =>
        found.startsWith(prefix)
          ? [{ name: found.slice(prefix.length), kind: kind === 'link' ? 'file' : kind }]
          : [],
      );
      return entries.length === 0 && folder !== '' ? null : entries;
    }),

    search: inTurn(async (git, revision, { text, pattern, path = '', most, isAllowed }) => {
      checkText(text, pattern);
      if (text.includes('\n')) throw malformed('A search is for a text within one line.');
      const only = withoutSlash(path);
      if (only !== '' && !isRepositoryPath(only)) return { found: [], more: false };
      const options = ['-I', '-n', '-z', '--full-name', '--no-color', '--no-recurse-submodules'];
      const place = [revision, '--', ...(only === '' ? [] : [only])];
      const output = await partly(git, ['grep', ...options, pattern ? '-E' : '-F', '-e', text, ...place], {
        timeoutMs: Math.min(LIMIT_MS.search, timeoutMs),
        maxBytes: MAX_BYTES.all,
      });
      const { matches, cut } = parseMatches(output.stdout, revision, isAllowed);
      return inTime(cut || output.cut, matches, spreadOverFiles(matches, most));
    }),

    history: inTurn(async (git, revision, query) => {
      const args = await historyArguments(git, revision, query);
      if (args === null || args.length === 0) return args && { found: [], more: false };
      const isSearch = query.text !== undefined;
      const most = isSearch ? [] : [`--max-count=${query.most + 1}`];
      const limits = ['-z', '--no-merges', ...most, `--format=${LISTED_FORMAT}`];
      const range = [
        // A bare day would be taken at the present time of day.
        ...(query.since === undefined ? [] : [`--since=${query.since}T00:00:00Z`]),
        ...(query.until === undefined ? [] : [`--until=${query.until}T23:59:59Z`]),
      ];
      const output = await partly(git, ['log', ...limits, ...range, ...args], {
        timeoutMs: Math.min(LIMIT_MS.history, timeoutMs),
        maxBytes: MAX_BYTES.all,
        settings: ['core.bigFileThreshold=4m'],
      });
      const found = parseListed(output.stdout, isSearch ? remembered(query.isAllowed) : null);
      return inTime(output.cut, found, found.slice(0, query.most));
    }),
  };
}

/** What selects the commits; empty: nothing can. `null`: git has no such query. */
async function historyArguments(
  git: GitReader,
  revision: string,
  { path: given = '', lines, text, pattern = false }: HistoryQuery,
): Promise<readonly string[] | null> {
  const path = withoutSlash(given);
  if (path !== '' && !isRepositoryPath(path)) return [];
  const paths = ['--', ...(path === '' ? [] : [path])];
  if (text !== undefined) {
    if (lines !== undefined) return null;
    checkText(text, pattern);
    // Renames are not looked for: that would compare whole files. The text is part of its option, or it could be read as another one.
    return [
      ...DIFF_OPTIONS,
      '--no-renames',
      '--name-only',
      `${pattern ? '-G' : '-S'}${text}`,
      revision,
      ...paths,
    ];
  }
  const entry = path === '' ? undefined : (await entriesOf(git, revision, [path])).get(path);
  if (lines === undefined) return [...(entry?.kind === 'file' ? ['--follow'] : []), '-s', revision, ...paths];
  const count = splitLines((await textAt(git, revision, path)) ?? '').length;
  if (lines.from > count || lines.to < lines.from) return [];
  return ['-s', `-L${lines.from},${Math.min(lines.to, count)}:${path}`, revision, '--'];
}

/** What a command printed until its limits; `git grep` ends with 1 if nothing matches. */
async function partly(git: GitReader, args: readonly string[], call: GitCall): Promise<PartialOutput> {
  const outcome = await git.run(args, { ...call, keepLate: true });
  if (outcome.kind === 'cut') return { stdout: outcome.stdout, cut: true };
  const { code, stdout, stderr } = outcome;
  if (code === 0 || (code === 1 && stderr === '')) return { stdout, cut: false };
  const invalid = /^fatal: (?:invalid regex: |-e option, .*': )(.*)$/ms.exec(stderr)?.[1];
  if (invalid !== undefined) throw malformed(`The pattern is invalid: ${invalid.trim().slice(0, 200)}`);
  throw commandFailed(args[0] ?? '', code, stderr);
}

function inTime<One>(cut: boolean, all: readonly One[], found: readonly One[]): Found<One> {
  if (cut && all.length === 0)
    throw new CulpritError('timed_out', 'The search took too long. Ask for less: a path, or a shorter time.');
  return { found, more: cut || all.length > found.length };
}

/** Parses `git grep -n -z` of one revision. `cut`: there are more of allowed files than are kept. */
function parseMatches(
  output: Buffer,
  revision: string,
  given: IsAllowed,
): { readonly matches: readonly SourceMatch[]; readonly cut: boolean } {
  const matches: SourceMatch[] = [];
  const isAllowed = remembered(given);
  const start = revision.length + 1;
  let left: number = MAX_BYTES.found;
  for (let at = 0; at < output.length; ) {
    const path = output.indexOf(0, at);
    const line = path < 0 ? -1 : output.indexOf(0, path + 1);
    if (line < 0) break;
    const newline = output.indexOf(10, line);
    const end = newline < 0 ? output.length : newline;
    const name = decode(output.subarray(at + start, path));
    if (isAllowed(name)) {
      if (left <= 0) return { matches, cut: true };
      left -= end - at;
      const text = decode(output.subarray(line + 1, Math.min(end, line + 1 + MATCH_CHARS)));
      const number = Number(output.toString('latin1', path + 1, line));
      matches.push({ path: name, line: number, text: text.replace(/\r$/, '') });
    }
    at = end + 1;
  }
  return { matches, cut: false };
}

function remembered(isAllowed: IsAllowed): IsAllowed {
  const known = new Map<string, boolean>();
  return (path) => {
    const is = known.get(path) ?? isAllowed(path);
    known.set(path, is);
    return is;
  };
}

/** The most that the repetition counts of a pattern multiply to: the C library compiles `((a{1,99}){1,99}){1,99}` to 3 GB. */
const MAX_REPEATED = 255;

function checkText(text: string, pattern: boolean): void {
  if (text === '' || text.includes('\0')) throw malformed('The text is empty or has a NUL.');
  if (!pattern) return;
  const counts = [...text.matchAll(/\{(\d*)(?:,(\d*))?\}/g)].map(([, from, to]) =>
    Math.max(Number(from), Number(to ?? 0), 1),
  );
  if (counts.reduce((product, count) => product * count, 1) > MAX_REPEATED)
    throw malformed(`The repetition counts of the pattern multiply to more than ${MAX_REPEATED}.`);
  if (/\\[1-9]/.test(text)) throw malformed('Extended regular expressions have no back-references.');
}

function malformed(detail: string): CulpritError {
  return new CulpritError('malformed', detail);
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '');
}
