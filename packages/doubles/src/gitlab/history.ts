import { execFile } from 'node:child_process';

const MOST_BYTES = 256 * 1024 * 1024;
const FORMAT = '%H%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x01';

/** Answers about objects named in full never change, so they are read once. */
const LASTING: readonly string[] = [
  'log',
  'cat-file',
  'diff-tree',
  'blame',
  'ls-tree',
  'rev-parse',
  'merge-base',
];
const IN_FULL = /^[0-9a-f]{40}(?:\^\{commit\}|:.*)?$/s;
const MOST_KEPT = 4_000;
const kept = new Map<string, Promise<Buffer | null>>();

export interface GitCommit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly author: { readonly name: string; readonly email: string; readonly date: string };
  readonly committer: { readonly name: string; readonly email: string; readonly date: string };
  readonly message: string;
}

/** One git repository, read without a shell and without the machine's configuration. `null` if git fails. */
export class History {
  constructor(private readonly directory: string) {}

  bytes(...args: readonly string[]): Promise<Buffer | null> {
    if (args.some((arg) => arg.includes('\0'))) return Promise.resolve(null);
    const lasting = LASTING.includes(args[0] ?? '') && args.some((arg) => IN_FULL.test(arg));
    if (!lasting) return this.run(args);
    const key = [this.directory, ...args].join('\0');
    const answer = kept.get(key) ?? this.run(args);
    if (kept.size < MOST_KEPT) kept.set(key, answer);
    return answer;
  }

  private run(args: readonly string[]): Promise<Buffer | null> {
    return new Promise((resolve) => {
      const env = {
        ...{ PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' },
        ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_LITERAL_PATHSPECS: '1' },
      };
      const full = ['-C', this.directory, '-c', 'core.quotePath=false', '--no-pager', ...args];
      execFile('git', full, { env, maxBuffer: MOST_BYTES, encoding: 'buffer' }, (error, stdout) =>
        resolve(error ? null : stdout),
      );
    });
  }

  async text(...args: readonly string[]): Promise<string | null> {
    return (await this.bytes(...args))?.toString('utf8') ?? null;
  }

  /** The commit that a SHA, its beginning, a branch or a tag names. */
  async resolve(revision: string): Promise<string | null> {
    if (revision.startsWith('-')) return null;
    const object = `${revision}^{commit}`;
    return (await this.text('rev-parse', '--verify', '--quiet', '--end-of-options', object))?.trim() || null;
  }

  async commits(revision: string, options: readonly string[], path?: string): Promise<readonly GitCommit[]> {
    const ends = await Promise.all(revision.split('..', 2).map((end) => this.resolve(end)));
    if (ends.includes(null)) return [];
    const id = ends.join('..');
    const paths = path === undefined ? [] : ['--', path];
    const text = (await this.text('log', `--format=${FORMAT}`, ...options, id, ...paths)) ?? '';
    return text
      .split('\x01')
      .map((entry) => entry.replace(/^\n/, ''))
      .filter((entry) => entry !== '')
      .map(commitOf);
  }
}

function commitOf(entry: string): GitCommit {
  const fields = entry.split('\0');
  const [id = '', parents = ''] = fields;
  const person = ([name = '', email = '', date = '']: readonly string[]) => ({
    name,
    email,
    date: dateOf(date),
  });
  return {
    id,
    parents: parents === '' ? [] : parents.split(' '),
    author: person(fields.slice(2, 5)),
    committer: person(fields.slice(5, 8)),
    message: `${(fields[8] ?? '').replace(/\n+$/, '')}\n`,
  };
}

/** GitLab writes dates with milliseconds and an offset. */
export function dateOf(date: string | number): string {
  return new Date(date).toISOString().replace(/Z$/, '+00:00');
}
