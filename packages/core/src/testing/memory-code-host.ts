import { createHash } from 'node:crypto';
import { OWNERS_PLACES, type OwnersDialect } from '../domain/ownership.js';
import { CulpritError } from '../errors/error.js';
import { hunksOf, lineEdits } from '../pipeline/line-diff.js';
import type { Blame, BlamedFile, CodeHost, Commit, Diff, DiffFile, Tree } from '../ports/code-host.js';

/** One commit of a scripted history, on top of the one before it. */
export interface ScriptedCommit {
  readonly title: string;
  readonly body?: string;
  readonly author?: string;
  /** ISO 8601. */
  readonly at: string;
  /** Old path → new path; before `write`. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Path → whole content. */
  readonly write?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
}

/** The scripted history and behaviour of a `memoryCodeHost`. */
export interface MemoryCodeHostOptions {
  /** The only repository. Default `shop/shop`. */
  readonly repository?: string;
  /** Release → title of its commit. */
  readonly releases?: Readonly<Record<string, string>>;
  /** Titles of the commits listed in `.git-blame-ignore-revs`. */
  readonly ignored?: readonly string[];
  readonly links?: Tree['links'];
  /** How the code owners file is read. Default `github`. */
  readonly dialect?: OwnersDialect;
  /** Author → account. */
  readonly accounts?: Readonly<Record<string, string>>;
  /** Called before each response; an error it throws is returned to the caller. */
  readonly before?: (method: keyof CodeHost, request: readonly unknown[]) => void | Promise<void>;
}

/** A code host over a scripted history, with counters of its calls. */
export interface MemoryCodeHost extends CodeHost {
  readonly repository: string;
  /** The SHA of the commit with this title. */
  sha(title: string): string;
}

interface Line {
  readonly text: string;
  readonly commit: Version;
}
interface Version {
  readonly commit: Commit;
  readonly files: ReadonlyMap<string, readonly Line[]>;
  readonly diff: Diff;
  readonly parent: Version | null;
}

/** A code host over a linear history held in memory: blame, diffs and renames as git reports them. */
export function memoryCodeHost(
  history: readonly ScriptedCommit[],
  options: MemoryCodeHostOptions = {},
): MemoryCodeHost {
  const { repository = 'shop/shop', releases = {}, ignored = [], before, accounts = {} } = options;
  const { dialect = 'github' } = options;
  const links = options.links ?? {
    commit: 'https://code.example/shop/commit/{sha}',
    line: 'https://code.example/shop/blob/{sha}/{path}#L{line}',
  };
  const versions: Version[] = [];
  for (const script of history) versions.push(commitOnTop(versions.at(-1) ?? null, script));
  const titled = (title: string) => versions.find(({ commit }) => commit.title === title);
  const sha = (title: string) => titled(title)?.commit.sha ?? '';
  const ask = async (method: keyof CodeHost, asked: string, request: readonly unknown[]) => {
    await before?.(method, request);
    if (asked !== repository) {
      throw new CulpritError('repository_not_found', `There is no repository ${asked}.`);
    }
  };
  const versionOf = (wanted: string): Version => {
    const version = versions.find(({ commit }) => commit.sha === wanted);
    if (!version) throw new CulpritError('revision_not_found', `There is no commit ${wanted}.`);
    return version;
  };

  return {
    repository,
    sha,
    tree: async (asked, hints) => {
      await ask('tree', asked, [hints]);
      const explicit = versions.find(({ commit }) => commit.sha === hints.commit);
      const released = hints.release === null ? undefined : titled(releases[hints.release] ?? '');
      const dated = versions.filter(({ commit }) => commit.committed_at <= hints.at).at(-1);
      const version = explicit ?? released ?? dated;
      if (!version) throw new CulpritError('revision_not_found', 'The history is empty.');
      const how = explicit ? 'explicit' : released ? 'release' : 'date';
      const { sha: found, committed_at } = version.commit;
      const paths = [...version.files.keys()].sort();
      return { revision: { sha: found, how, committed_at }, paths, truncated: false, links };
    },
    blame: async (asked, at, paths): Promise<Blame> => {
      await ask('blame', asked, [at, paths]);
      const version = versionOf(at);
      return {
        files: paths.map((path) => blamed(version, path)),
        recent: ancestors(version)
          .slice(0, 100)
          .map(({ commit: { sha, committed_at, title } }) => ({ sha, committed_at, title })),
        ignored: ignored.map(sha),
      };
    },
    commits: async (asked, shas) => {
      await ask('commits', asked, [shas]);
      const found = shas.flatMap(
        (wanted) => versions.find(({ commit }) => commit.sha === wanted)?.commit ?? [],
      );
      return found.map((commit) => {
        const { name } = commit.author;
        const account = Object.hasOwn(accounts, name) ? accounts[name] : undefined;
        return account === undefined ? commit : { ...commit, author: { ...commit.author, account } };
      });
    },
    ancestry: {
      contains: async (asked, commit, hints) => {
        await ask('ancestry', asked, [commit, hints]);
        const release = titled(releases[hints.release ?? ''] ?? '');
        const version = versions.find(({ commit: { sha: one } }) => one === hints.commit) ?? release;
        if (!version || !versions.some(({ commit: { sha: one } }) => one === commit)) return null;
        return ancestors(version).some(({ commit: { sha: one } }) => one === commit);
      },
      firstRelease: async (asked, commit) => {
        await ask('ancestry', asked, [commit]);
        const from = versions.findIndex(({ commit: { sha: one } }) => one === commit);
        const later = from === -1 ? [] : versions.slice(from);
        const named = later.map(({ commit: { title } }) =>
          Object.keys(releases).find((release) => releases[release] === title),
        );
        return named.find((release) => release !== undefined) ?? null;
      },
      range: async (asked, from, to, most) => {
        await ask('ancestry', asked, [from, to]);
        const [start, end] = [from, to].map((one) => versions.findIndex(({ commit }) => commit.sha === one));
        if (start === undefined || end === undefined || start < 0 || end < 0) return null;
        const found = versions.slice(start + 1, end + 1).reverse();
        const commits = found.map(({ commit: { sha: one, title, committed_at } }) => ({
          sha: one,
          title,
          committed_at,
        }));
        return { commits: commits.slice(0, most), more: commits.length > most };
      },
    },
    owners: {
      file: async (asked, at) => {
        await ask('owners', asked, [at]);
        const { files } = versionOf(at);
        const path = OWNERS_PLACES[dialect].find((place) => files.has(place));
        if (path === undefined) return null;
        const text = files.get(path)?.map((line) => line.text) ?? [];
        return { path, dialect, text: text.join('\n') };
      },
    },
    diff: async (asked, wanted) => {
      await ask('diff', asked, [wanted]);
      return versionOf(wanted).diff;
    },
  };
}

function commitOnTop(parent: Version | null, script: ScriptedCommit): Version {
  const text = JSON.stringify([parent?.commit.sha ?? null, script]);
  const sha = createHash('sha1').update(text).digest('hex');
  const files = new Map(parent?.files ?? []);
  const changed: DiffFile[] = [];
  const renamed = new Map<string, string>();
  for (const [from, to] of Object.entries(script.rename ?? {})) {
    const lines = files.get(from) ?? [];
    files.delete(from);
    files.set(to, lines);
    renamed.set(to, from);
    if (script.write?.[to] === undefined) {
      changed.push({ path: to, old_path: from, status: 'renamed', hunks: [] });
    }
  }
  const commit = {} as { -readonly [K in keyof Commit]: Commit[K] };
  const version: Version = {
    commit,
    files,
    parent,
    diff: { sha, files: changed, truncated: false },
  };
  let additions = 0;
  let deletions = 0;
  for (const [path, content] of Object.entries(script.write ?? {})) {
    const old = files.get(path);
    const edits = lineEdits(old?.map((line) => line.text) ?? [], linesOf(content));
    const kept = [...(old ?? [])];
    const lines: Line[] = [];
    for (const { kind, text: line } of edits) {
      const from = kind === '+' ? undefined : kept.shift();
      if (kind === '+') lines.push({ text: line, commit: version });
      else if (kind === ' ' && from) lines.push(from);
      additions += kind === '+' ? 1 : 0;
      deletions += kind === '-' ? 1 : 0;
    }
    files.set(path, lines);
    const old_path = renamed.get(path) ?? path;
    const status = renamed.has(path) ? 'renamed' : old === undefined ? 'added' : 'modified';
    changed.push({ path, old_path, status, hunks: hunksOf(edits) });
  }
  for (const path of script.remove ?? []) {
    const edits = lineEdits(files.get(path)?.map((line) => line.text) ?? [], []);
    files.delete(path);
    changed.push({ path, old_path: path, status: 'removed', hunks: hunksOf(edits) });
  }
  Object.assign(commit, {
    sha,
    title: script.title,
    message: script.body === undefined ? script.title : `${script.title}\n\n${script.body}`,
    author: { name: script.author ?? 'Ada' },
    committed_at: script.at,
    parents: parent === null ? [] : [parent.commit.sha],
    url: `https://code.example/shop/commit/${sha}`,
    additions,
    deletions,
    pull_request: null,
  } satisfies Commit);
  return version;
}

function blamed(version: Version, path: string): BlamedFile {
  const lines = version.files.get(path);
  if (!lines) {
    return { path, status: 'missing', detail: 'no such file', ranges: [], history: [], lines: null };
  }
  const ranges: { start: number; end: number; sha: string; committed_at: string }[] = [];
  lines.forEach(({ commit: { commit } }, index) => {
    const last = ranges.at(-1);
    if (last?.sha === commit.sha) last.end = index + 1;
    else {
      const { sha, committed_at } = commit;
      ranges.push({ start: index + 1, end: index + 1, sha, committed_at });
    }
  });
  return {
    path,
    status: 'ok',
    detail: null,
    ranges,
    history: historyOf(version, path),
    lines: lines.map(({ text }) => text),
  };
}

/** The commits that touched the file, through its renames. */
function historyOf(version: Version, path: string): BlamedFile['history'] {
  const entries: { sha: string; committed_at: string }[] = [];
  let name = path;
  for (const { diff, commit } of ancestors(version)) {
    const file = diff.files.find((entry) => entry.path === name);
    if (!file) continue;
    entries.push({ sha: commit.sha, committed_at: commit.committed_at });
    name = file.old_path;
  }
  return entries.slice(0, 20);
}

/** Newest first. */
function ancestors(version: Version): readonly Version[] {
  const all: Version[] = [];
  for (let at: Version | null = version; at !== null; at = at.parent) all.push(at);
  return all;
}

function linesOf(content: string): readonly string[] {
  return content.replace(/\n$/, '').split('\n');
}
