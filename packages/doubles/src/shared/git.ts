import { execFile } from 'node:child_process';

const MAX_BYTES = 256 * 1024 * 1024;
const FORMAT = '%H%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%T%x00%B%x01';

/** Results about objects named in full never change, so they are read once per repository. */
const LASTING: readonly string[] = [
  ...['log', 'blame', 'cat-file', 'show', 'diff-tree', 'ls-tree'],
  ...['rev-parse', 'rev-list', 'merge-base'],
];
/** An object named in full, with a kind (`^{commit}`), a path in it, or two of them (`a...b`). */
const IN_FULL = /^[0-9a-f]{40}(?:\^\{\w+\}|:.*|\.\.\.?[0-9a-f]{40})?$/s;
const MAX_KEPT = 4_000;
const MAX_KEPT_BYTES = 256 * 1024;
const kept = new Map<string, Promise<Buffer | null>>();

export interface Person {
  readonly name: string;
  readonly email: string;
  readonly date: string;
}

export interface GitCommit {
  readonly oid: string;
  readonly parents: readonly string[];
  readonly author: Person;
  readonly committer: Person;
  readonly tree: string;
  /** Without line breaks at its end. */
  readonly message: string;
}

/**
 * One git repository, read without a shell and without the machine's configuration. `null` if git fails. `dateOf` writes dates
 * as the host does.
 */
export class Git {
  constructor(
    private readonly directory: string,
    private readonly dateOf: (date: string) => string,
  ) {}

  bytes(...args: readonly string[]): Promise<Buffer | null> {
    if (args.some((arg) => arg.includes('\0'))) return Promise.resolve(null);
    if (!LASTING.includes(args[0] ?? '') || !args.some((arg) => IN_FULL.test(arg))) return this.run(args);
    const key = [this.directory, ...args].join('\0');
    const known = kept.get(key);
    if (known !== undefined) return known;
    const answer = this.run(args);
    if (kept.size < MAX_KEPT) {
      kept.set(key, answer);
      void answer.then((bytes) => (bytes?.length ?? Infinity) > MAX_KEPT_BYTES && kept.delete(key));
    }
    return answer;
  }

  private run(args: readonly string[]): Promise<Buffer | null> {
    return new Promise((resolve) => {
      const env = {
        ...{ PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' },
        ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_LITERAL_PATHSPECS: '1' },
      };
      const full = ['-C', this.directory, '-c', 'core.quotePath=false', '--no-pager', ...args];
      execFile('git', full, { env, maxBuffer: MAX_BYTES, encoding: 'buffer' }, (error, stdout) =>
        resolve(error ? null : stdout),
      );
    });
  }

  async text(...args: readonly string[]): Promise<string | null> {
    return (await this.bytes(...args))?.toString('utf8') ?? null;
  }

  /** The object that a SHA, its beginning, a branch or a tag names, by default the commit. */
  async resolve(revision: string, kind = 'commit'): Promise<string | null> {
    return this.parse(`${revision}^{${kind}}`);
  }

  async type(revision: string): Promise<{ readonly oid: string; readonly type: string } | null> {
    const oid = await this.parse(revision);
    const type = oid === null ? null : (await this.text('cat-file', '-t', oid))?.trim();
    return oid !== null && type ? { oid, type } : null;
  }

  private async parse(object: string): Promise<string | null> {
    if (object.startsWith('-')) return null;
    return (await this.text('rev-parse', '--verify', '--quiet', '--end-of-options', object))?.trim() || null;
  }

  /** Commits of a revision, or of a range `a..b`, in `git log` order; none if there is no such revision. */
  async commits(
    revision: string,
    options: readonly string[] = ['-1'],
    path?: string,
  ): Promise<readonly GitCommit[]> {
    const ends = await Promise.all(
      revision.split('..', 2).map((end) => (IN_FULL.test(end) ? end : this.resolve(end))),
    );
    if (ends.includes(null)) return [];
    const paths = path === undefined ? [] : ['--', path];
    const text = (await this.text('log', `--format=${FORMAT}`, ...options, ends.join('..'), ...paths)) ?? '';
    const entries = text.split('\x01').map((entry) => entry.replace(/^\n/, ''));
    return entries.filter((entry) => entry !== '').map((entry) => this.commitOf(entry));
  }

  private commitOf(entry: string): GitCommit {
    const fields = entry.split('\0');
    const [oid = '', parents = ''] = fields;
    const person = ([name = '', email = '', date = '']: readonly string[]) => ({
      ...{ name, email },
      date: this.dateOf(date),
    });
    return {
      oid,
      parents: parents === '' ? [] : parents.split(' '),
      author: person(fields.slice(2, 5)),
      committer: person(fields.slice(5, 8)),
      tree: fields[8] ?? '',
      message: (fields[9] ?? '').replace(/\n+$/, ''),
    };
  }
}

/** Before the first commit. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
