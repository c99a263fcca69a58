import type { Commit } from '@culprit/core/connector';
import type { IsAllowed, ListedCommit } from '@culprit/core/internal/ports/code-host';
import { decode, isoTime, oneLine } from './text.js';

/** Commit text is untrusted, so it is limited. */
const MAX = { title: 500, message: 32_768, name: 200 } as const;

/** Fields separated by NUL, which commits cannot contain. */
export const COMMIT_FORMAT = 'tformat:%x00%H%x00%P%x00%ct%x00%an%x00%ae%x00%s%x00%B';
const FIELDS = 7;
/** The address that GitHub gives an account. Other addresses name no account, and none is kept. */
const GITHUB_ADDRESS = /^(?:\d{1,12}\+)?([A-Za-z0-9-]{1,39})@users\.noreply\.github\.com$/;

/** A commit without what is read elsewhere: its lines from its changes, its page from the configuration. */
export type BareCommit = Omit<Commit, 'additions' | 'deletions' | 'url' | 'pull_request'>;

/** Parses `git log --format=<COMMIT_FORMAT>`. */
export function parseCommits(output: Buffer): readonly BareCommit[] {
  const tokens = decode(output).split('\0');
  const commits: BareCommit[] = [];
  for (let at = 1; at + FIELDS - 1 < tokens.length; at += FIELDS) {
    const [sha = '', parents = '', time, name = '', mail = '', title = '', message = ''] = tokens.slice(
      at,
      at + FIELDS,
    );
    const account = GITHUB_ADDRESS.exec(mail)?.[1];
    commits.push({
      sha,
      title: oneLine(title, MAX.title),
      message: message.replace(/\n+$/, '').slice(0, MAX.message),
      author: { name: oneLine(name, MAX.name), ...(account === undefined ? {} : { account }) },
      committed_at: isoTime(time),
      parents: parents.split(' ').filter((parent) => parent !== ''),
    });
  }
  return commits;
}

/** The sums of `git diff-tree --numstat`. Binary files (`-`) count as 0. */
export function sumNumstat(text: string): { readonly additions: number; readonly deletions: number } {
  let additions = 0;
  let deletions = 0;
  for (const match of text.matchAll(/^(\d+)\t(\d+)\t/gm)) {
    additions += Number(match[1]);
    deletions += Number(match[2]);
  }
  return { additions, deletions };
}

export const LISTED_FORMAT = 'tformat:%x00%H%x00%ct%x00%s';

/** Parses `git log -z --format=<LISTED_FORMAT>`. `isAllowed`: with `--name-only`, only commits with such a file. */
export function parseListed(output: Buffer, isAllowed: IsAllowed | null = null): readonly ListedCommit[] {
  const tokens = decode(output).split('\0');
  const commits: ListedCommit[] = [];
  for (let at = 0; at + 3 < tokens.length; ) {
    const [, sha = '', time, title = ''] = tokens.slice(at, at + 4);
    at += 4;
    let listed = isAllowed === null;
    // An empty token precedes the next commit. The last token is no whole path if the output is truncated.
    for (; at < tokens.length - 1 && tokens[at] !== ''; at++)
      listed ||= isAllowed?.((tokens[at] ?? '').replace(/^\n/, '')) ?? true;
    if (listed) commits.push({ sha, committed_at: isoTime(time), title: oneLine(title, MAX.title) });
  }
  return commits;
}
