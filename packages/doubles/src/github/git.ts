import { execFile } from 'node:child_process';

const MOST_BYTES = 256 * 1024 * 1024;

/** Results about objects named in full never change, so they are read once per repository. */
const LASTING: readonly string[] = [
  ...['log', 'blame', 'cat-file', 'show', 'diff-tree', 'ls-tree'],
  ...['rev-parse', 'rev-list', 'merge-base'],
];
/** An object named in full, with a kind (`^{commit}`), or two of them (`a...b`). */
const IN_FULL = /^[0-9a-f]{40}(?:\^\{\w+\}|\.\.\.[0-9a-f]{40})?$/;
const KEPT_ANSWERS = 4_000;
const KEPT_CHARS = 256 * 1024;
const kept = new Map<string, string>();

function isLasting([command = '', ...args]: readonly string[]): boolean {
  return LASTING.includes(command) && args.some((arg) => IN_FULL.test(arg));
}

/** One git repository, read without a shell. Returns `null` if git fails. */
export class Git {
  constructor(private readonly directory: string) {}

  run(...args: string[]): Promise<string | null> {
    if (args.some((arg) => arg.includes('\0'))) return Promise.resolve(null);
    if (!isLasting(args)) return this.ask(args);
    const key = [this.directory, ...args].join('\0');
    const known = kept.get(key);
    if (known !== undefined) return Promise.resolve(known);
    return this.ask(args).then((answer) => {
      if (answer !== null && answer.length <= KEPT_CHARS && kept.size < KEPT_ANSWERS) kept.set(key, answer);
      return answer;
    });
  }

  private ask(args: readonly string[]): Promise<string | null> {
    return new Promise((resolve) => {
      const env = {
        PATH: process.env.PATH ?? '',
        LC_ALL: 'C',
        TZ: 'UTC',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
      };
      const full = ['-C', this.directory, '-c', 'core.quotePath=false', '--no-pager', ...args];
      execFile('git', full, { env, maxBuffer: MOST_BYTES, encoding: 'utf8' }, (error, stdout) =>
        resolve(error ? null : stdout),
      );
    });
  }

  /** Resolves `rev^{kind}` to an object id. */
  async resolve(revision: string, kind = 'commit'): Promise<string | null> {
    if (revision.startsWith('-')) return null;
    const object = `${revision}^{${kind}}`;
    const oid = await this.run('rev-parse', '--verify', '--quiet', '--end-of-options', object);
    return oid === null ? null : oid.trim();
  }

  async type(revision: string): Promise<{ oid: string; type: string } | null> {
    if (revision.startsWith('-')) return null;
    const oid = (await this.run('rev-parse', '--verify', '--quiet', '--end-of-options', revision))?.trim();
    if (!oid) return null;
    const type = (await this.run('cat-file', '-t', oid))?.trim();
    return type ? { oid, type } : null;
  }
}

export interface GitCommit {
  readonly oid: string;
  readonly parents: readonly string[];
  readonly author: { readonly name: string; readonly email: string; readonly date: string };
  readonly committer: { readonly name: string; readonly email: string; readonly date: string };
  readonly tree: string;
  readonly message: string;
}

const FORMAT = '%H%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%T%x00%B%x01';

/** Commits in `git log` order. */
export async function log(
  git: Git,
  revision: string,
  options: readonly string[],
  path?: string,
): Promise<readonly GitCommit[] | null> {
  const paths = path === undefined ? [] : ['--', path];
  const text = await git.run('log', `--format=${FORMAT}`, ...options, revision, ...paths);
  if (text === null) return null;
  return text
    .split('\x01')
    .map((entry) => entry.replace(/^\n/, ''))
    .filter((entry) => entry !== '')
    .map((entry) => {
      const fields = entry.split('\0');
      const [oid = '', parents = ''] = fields;
      const person = ([name = '', email = '', date = '']: string[]) => ({ name, email, date: zulu(date) });
      return {
        oid,
        parents: parents === '' ? [] : parents.split(' '),
        author: person(fields.slice(2, 5)),
        committer: person(fields.slice(5, 8)),
        tree: fields[8] ?? '',
        message: (fields[9] ?? '').replace(/\n+$/, ''),
      };
    });
}

/** GitHub writes dates in UTC without milliseconds. */
export function zulu(date: string | number): string {
  return new Date(date).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
