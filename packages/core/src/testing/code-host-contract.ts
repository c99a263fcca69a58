import assert from 'node:assert/strict';
import type { ErrorCode } from '../errors/catalogue.js';
import { isCulpritError } from '../errors/error.js';
import type { CodeHost, RevisionHints, Tree } from '../ports/code-host.js';
import { type ContractCase, onSubject } from './contract-case.js';
import type { KnownHistory } from './known-history.js';

/** A code host and a repository on it that contains exactly the known history. */
export interface CodeHostSubject {
  readonly codeHost: CodeHost;
  readonly repository: string;
  /** The name of a repository that does not exist on the host. */
  readonly unknownRepository: string;
  readonly history: KnownHistory;
  close?(): Promise<void>;
}

type Case = ContractCase<CodeHostSubject>;

const NOWHERE = 'f'.repeat(40);
const LATE = '2030-01-01T00:00:00.000Z';

/** The rules of the `CodeHost` port. */
export const codeHostContract: readonly Case[] = [
  revision('an explicit commit is the revision', ({ make }) => {
    const [first] = make;
    return [hints({ commit: first?.sha ?? '' }), first?.sha, 'explicit'];
  }),
  revision('an abbreviated commit is expanded', ({ make }) => {
    const [first] = make;
    return [hints({ commit: first?.sha.slice(0, 10) ?? '' }), first?.sha, 'explicit'];
  }),
  revision('if an explicit commit does not exist, the release is used', ({ make }) => {
    const [, second] = make;
    return [hints({ commit: NOWHERE, release: `shop@${second?.sha}` }), second?.sha, 'release'];
  }),
  revision('a release named by a version is found by its tag', ({ tags }) => {
    const tag = tags.find(({ name }) => name === 'v1.0.0');
    return [hints({ release: '1.0.0' }), tag?.sha, 'tag'];
  }),
  revision('an annotated tag resolves to its commit', ({ tags }) => {
    const tag = tags.find(({ annotated }) => annotated);
    return [hints({ release: tag?.name ?? '' }), tag?.sha, 'tag'];
  }),
  revision('if no hint matches, the head is used as a guess', ({ make }) => [
    hints({ commit: NOWHERE, release: '99.0.0' }),
    make.at(-1)?.sha,
    'head',
  ]),
  revision('a crash older than the head uses the newest commit before it', ({ make }) => {
    const merge = make.at(-2);
    return [hints({ at: merge?.committed_at ?? '' }), merge?.sha, 'date'];
  }),
  revision('hostile hints have no effect', ({ make }) => [
    hints({ commit: '--all; touch x', release: 'v1^{tree}:../\n@{0}*' }),
    make.at(-1)?.sha,
    'head',
  ]),
  onSubject('contains: a named revision contains its ancestors and itself', async (subject) => {
    const { codeHost, repository, history } = subject;
    const { ancestry } = codeHost;
    if (ancestry === undefined) return;
    const [first, second] = history.make.map(({ sha }) => sha ?? '');
    const ask = (commit: string, named: Partial<RevisionHints>) =>
      ancestry.contains(repository, commit, hints(named), signal());
    assert.equal(await ask(first ?? '', { commit: second ?? '' }), true);
    assert.equal(await ask(second ?? '', { release: `shop@${second}` }), true);
    assert.equal(await ask(second ?? '', { commit: first ?? '' }), false);
    assert.equal(await ask(first ?? '', {}), null, 'no revision is named, and a guess does not count');
    assert.equal(await ask(first ?? '', { release: '99.0.0' }), null, 'the release is unknown');
    assert.equal(await ask(NOWHERE, { commit: first ?? '' }), null, 'the commit is unknown');
  }),
  onSubject('firstRelease: the release of a commit, never a guess', async ({ codeHost, ...subject }) => {
    const { ancestry } = codeHost;
    if (ancestry?.firstRelease === undefined) return;
    const { make, tags } = subject.history;
    const ask = (commit = '') => ancestry.firstRelease?.(subject.repository, commit, signal());
    const [first, last] = [make[0]?.sha, make.at(-1)?.sha];
    const released = tags.find(({ annotated }) => annotated);
    assert.equal(await ask(released?.sha), released?.name);
    assert.equal(await ask(first), null, 'releases of two packages contain it');
    assert.equal(await ask(last), null, 'no release contains it');
    assert.equal(await ask(NOWHERE), null, 'the commit is unknown');
  }),
  onSubject('the tree lists files, sorted, with templates or null for links', async (subject) => {
    const tree = await treeOf(subject, hints({}));
    assert.deepEqual(tree.paths, subject.history.paths);
    assert.equal(tree.truncated, false);
    assert.equal(tree.revision.committed_at, subject.history.commits[0]?.committed_at);
    assert.ok(tree.links.commit === null || tree.links.commit.includes('{sha}'));
    assert.ok(tree.links.line === null || /\{sha\}.*\{path\}.*\{line\}/.test(tree.links.line));
  }),
  onSubject('blame returns who last wrote each line, and the file’s history', async (subject) => {
    const { codeHost, repository, history } = subject;
    for (const { at, file } of history.blame) {
      const answer = await codeHost.blame(repository, at, [file.path], signal());
      const [found] = answer.files;
      assert.equal(found?.status, 'ok', `${file.path}: ${found?.detail}`);
      assert.deepEqual(found?.ranges, file.ranges, file.path);
      assert.deepEqual(found?.history, file.history, file.path);
      assert.deepEqual(found?.lines, file.lines, file.path);
    }
  }),
  onSubject(
    'a file that cannot be blamed is reported in its entry, the others are blamed',
    async (subject) => {
      const { codeHost, repository, history } = subject;
      const [good] = history.blame;
      const bad = ['no/such/file.ts', 'src', '../outside', '/etc/passwd', '-rf', 'a\0b', ''];
      const paths = [...bad, history.binary, good?.file.path ?? ''];
      const { files } = await codeHost.blame(repository, good?.at ?? '', paths, signal());
      assert.deepEqual(
        files.map(({ path, status }) => [path, status]),
        paths.map((path, index) => [
          path,
          index < bad.length ? 'missing' : path === history.binary ? 'skipped' : 'ok',
        ]),
      );
      for (const file of files) assert.equal(file.detail === null, file.status === 'ok', file.path);
    },
  ),
  onSubject('a repository without a code owners file has none, at any known commit', async (subject) => {
    const { codeHost, repository, unknownRepository, history } = subject;
    if (codeHost.owners === undefined) return;
    const head = history.make.at(-1)?.sha ?? '';
    assert.equal(await codeHost.owners.file(repository, head, signal()), null);
    const [nowhere, unknown] = await Promise.allSettled([
      codeHost.owners.file(repository, NOWHERE, signal()),
      codeHost.owners.file(unknownRepository, head, signal()),
    ]);
    assert.ok(nowhere.status === 'rejected' && isCulpritError(nowhere.reason, 'revision_not_found'));
    assert.ok(unknown.status === 'rejected' && isCulpritError(unknown.reason, 'repository_not_found'));
  }),
  onSubject('blame also returns recent and ignored commits', async (subject) => {
    const { codeHost, repository, history } = subject;
    const head = history.make.at(-1)?.sha ?? '';
    const { recent, ignored } = await codeHost.blame(repository, head, [], signal());
    const merges = new Set(history.commits.filter(({ parents }) => parents.length > 1).map(({ sha }) => sha));
    assert.deepEqual(
      recent.filter(({ sha }) => !merges.has(sha)),
      history.commits
        .filter(({ sha }) => !merges.has(sha))
        .map(({ sha, committed_at, title }) => ({ sha, committed_at, title })),
    );
    assert.deepEqual(ignored, history.ignored);
  }),
  onSubject('a range has the commits after one revision up to another, newest first', async (subject) => {
    const { codeHost, repository, history } = subject;
    const range = codeHost.ancestry?.range;
    if (range === undefined) return;
    const [root, ...later] = [...history.commits].reverse();
    const [from = '', to = ''] = [root?.sha, history.make.at(-1)?.sha];
    const found = await range(repository, from, to, 100, signal());
    const names = (commits: readonly { readonly sha: string }[]) => commits.map(({ sha }) => sha).sort();
    assert.deepEqual(names(found?.commits ?? []), names(later));
    assert.equal(found?.commits[0]?.sha, to);
    assert.equal(found?.more, false);
    const cut = await range(repository, from, to, 1, signal());
    assert.deepEqual([names(cut?.commits ?? []), cut?.more], [[to], true]);
    const nothing = await range(repository, to, to, 100, signal());
    assert.deepEqual(nothing, { commits: [], more: false });
    assert.equal(await range(repository, NOWHERE, to, 100, signal()), null);
  }),
  onSubject('commits are returned in the requested order, without unknown ones', async (subject) => {
    const { codeHost, repository, history } = subject;
    const asked = [...history.commits].reverse();
    const shas = [NOWHERE, ...asked.map(({ sha }) => sha)];
    const answer = await codeHost.commits(repository, shas, signal());
    assert.deepEqual(
      answer.map(({ url: _url, pull_request: _pull, ...commit }) => commit),
      asked,
    );
    for (const { url, sha } of answer) assert.ok(url === null || url.includes(sha));
    assert.deepEqual(await codeHost.commits(repository, [], signal()), []);
  }),
  onSubject('a diff is against the first parent, or empty for a root commit', async (subject) => {
    const { codeHost, repository, history } = subject;
    for (const diff of history.diffs) {
      assert.deepEqual(await codeHost.diff(repository, diff.sha, signal()), diff);
    }
  }),
  onSubject('an unknown repository is repository_not_found', async ({ codeHost, unknownRepository }) => {
    await rejects(codeHost.tree(unknownRepository, hints({}), signal()), 'repository_not_found');
    await rejects(codeHost.blame(unknownRepository, NOWHERE, ['a'], signal()), 'repository_not_found');
  }),
  onSubject('an unknown revision is revision_not_found', async ({ codeHost, repository }) => {
    await rejects(codeHost.blame(repository, NOWHERE, ['README.md'], signal()), 'revision_not_found');
    await rejects(codeHost.diff(repository, NOWHERE, signal()), 'revision_not_found');
    await rejects(codeHost.diff(repository, '--help', signal()), 'revision_not_found');
  }),
  onSubject('an aborted signal stops all work', async ({ codeHost, repository, history }) => {
    const reason = new Error('enough');
    const sha = history.make.at(-1)?.sha ?? '';
    const aborted = AbortSignal.abort(reason);
    await assert.rejects(codeHost.tree(repository, hints({}), aborted));
    await assert.rejects(codeHost.blame(repository, sha, ['README.md'], aborted));
    await assert.rejects(codeHost.commits(repository, [sha], aborted));
    await assert.rejects(codeHost.diff(repository, sha, aborted));
  }),
  onSubject('questions: a commit counts only if the revision contains it', async (subject) => {
    const { questions, repository, history } = asked(subject);
    if (questions === undefined) return;
    const [start = '', , format = '', notes = '', merge = '', head = ''] = history.make.map(({ sha }) => sha);
    const contained = (revision: string, commit: string) =>
      questions.contained(repository, revision, commit, signal());
    assert.equal(await contained(merge, start), start);
    assert.equal(await contained(merge, format.slice(0, 9)), format, 'an abbreviation is expanded');
    assert.equal(await contained(merge, merge.slice(0, 12).toUpperCase()), merge, 'it contains itself');
    assert.equal(await contained(merge, head), null, 'the commit is newer');
    assert.equal(await contained(notes, format), null, 'the commit is on another branch');
    for (const nothing of [NOWHERE, 'fffffff', 'main', 'HEAD^', '--all', '', '../x'])
      assert.equal(await contained(merge, nothing), null, nothing);
  }),
  onSubject('questions: lines and folders are those of the revision', async (subject) => {
    const { questions, repository, history } = asked(subject);
    if (questions === undefined) return;
    const head = history.make.at(-1)?.sha ?? '';
    const lines = (path: string, revision = head) => questions.lines(repository, revision, path, signal());
    for (const { at, file } of history.blame) assert.deepEqual(await lines(file.path, at), file.lines);
    for (const path of [
      'src',
      'src/none.ts',
      history.binary,
      '../x',
      '/etc/passwd',
      '-rf',
      'src/cart.ts',
      '',
    ])
      assert.equal(await lines(path), null, path);
    const folder = async (path: string, revision = head) => {
      const entries = await questions.folder(repository, revision, path, signal());
      return entries === null ? null : entries.map(({ name, kind }) => `${kind} ${name}`).sort();
    };
    const files = (under: string) =>
      history.paths
        .filter((path) => path.startsWith(under) && !path.slice(under.length).includes('/'))
        .map((path) => `file ${path.slice(under.length)}`);
    assert.deepEqual(await folder(''), [...files(''), 'folder docs', 'folder src']);
    assert.deepEqual(await folder('src'), files('src/'));
    assert.deepEqual(await folder('src', history.make[0]?.sha), ['file cart.ts', 'file empty.ts']);
    for (const path of ['none', 'README.md', '../x', '-rf']) assert.equal(await folder(path), null, path);
    await rejects(questions.lines(repository, NOWHERE, 'README.md', signal()), 'revision_not_found');
    await rejects(questions.folder(subject.unknownRepository, head, '', signal()), 'repository_not_found');
  }),
  onSubject(
    'questions: a search is literal or a pattern, at the revision, within its path',
    async (subject) => {
      const { questions, repository, history } = asked(subject);
      if (questions?.search === undefined) return;
      const [, , format = '', , , head = ''] = history.make.map(({ sha }) => sha);
      const search = async (text: string, more: object = {}, revision = format) => {
        const query = { text, pattern: false, most: 10, isAllowed: () => true, ...more };
        const answer = await questions.search?.(repository, revision, query, signal());
        return [answer?.found.map(({ path, line }) => `${path}:${line}`), answer?.more];
      };
      assert.deepEqual(await search('items[0]'), [['src/cart.ts:8'], false]);
      assert.deepEqual(await search('items[0]', {}, head), [[], false], 'it was there before');
      assert.deepEqual(await search('items\\[[0-9]+\\]', { pattern: true }), [['src/cart.ts:8'], false]);
      assert.deepEqual(await search('sum', { most: 2 }), [['src/cart.ts:2', 'src/cart.ts:3'], true]);
      assert.deepEqual(await search('items', { path: 'src/cart.ts', most: 1 }), [['src/cart.ts:1'], true]);
      const isAllowed = (path: string) => path !== 'src/cart.ts';
      assert.deepEqual(await search('items', { isAllowed, most: 1 }), [[], false]);
      for (const path of ['docs', 'src/car', ':(glob)**', '../x', '-rf'])
        assert.deepEqual(await search('items', { path }), [[], false], path);
      for (const text of ['--all', '-e items', 'logo', '$(id)'])
        assert.deepEqual(await search(text), [[], false], text);
      await rejects(search('items(', { pattern: true }), 'malformed');
    },
  ),
  onSubject('questions: a history is newest first and ends at the revision', async (subject) => {
    const { questions, repository, history } = asked(subject);
    const [start = '', totals = '', format = '', notes = '', merge = '', head = ''] = history.make.map(
      ({ sha }) => sha,
    );
    /** Merges are as the host likes. `null`: it cannot answer. */
    const ask = async (query: object, revision = merge) => {
      const all = { most: 10, isAllowed: () => true, ...query };
      const answer = await questions?.history?.(repository, revision, all, signal());
      return answer ? [answer.found.map(({ sha }) => sha).filter((sha) => sha !== merge), answer.more] : null;
    };
    const answers = async (query: object, shas: readonly string[], revision?: string, more = false) => {
      const answer = await ask(query, revision);
      if (answer !== null) assert.deepEqual(answer, [shas, more], JSON.stringify(query));
    };
    await answers({ path: 'src/cart.ts' }, [format, totals, start]);
    await answers({ path: 'src/cart.ts' }, [totals, start], totals);
    await answers({ path: 'src/cart.ts', most: 1 }, [totals], totals, true);
    await answers({ path: 'src/cart.ts', until: '2026-01-06' }, [totals, start]);
    await answers({ path: 'src/cart.ts', since: '2026-01-06', until: '2026-01-06' }, [totals]);
    await answers({ path: 'src' }, [format, totals, start]);
    await answers({ path: 'notes.txt' }, [], format);
    await answers({ path: 'src/cart.ts', lines: { from: 3, to: 3 } }, [totals, start]);
    await answers({ path: 'src/cart.ts', lines: { from: 100, to: 120 } }, []);
    await answers({ text: 'item.count' }, [totals]);
    await answers({ text: 'items[0]' }, [head, start], head);
    await answers({ text: 'item[.](count|size)', pattern: true }, [totals]);
    await answers({ text: 'item.count', path: 'notes.txt' }, []);
    await answers({ text: 'item.count', since: '2026-01-07' }, []);
    await answers({ text: 'one' }, [notes], notes);
    const isAllowed = (path: string) => path !== 'src/cart.ts';
    await answers({ text: 'item.count', isAllowed }, []);
    await answers({ text: 'item.count|one', pattern: true, isAllowed, most: 1 }, [notes], notes);
    for (const text of ['--source', '-1', '--all'])
      for (const pattern of [false, true]) await answers({ text, pattern }, []);
    for (const path of ['none', '../x', '-rf', ':(glob)**']) await answers({ path }, []);
    if (await ask({ text: 'some', pattern: true }))
      await rejects(ask({ text: 'a(', pattern: true }), 'malformed');
  }),
];

/** The questions, if the host answers any. */
function asked({ codeHost: { questions }, repository, history }: CodeHostSubject) {
  return { questions, repository, history };
}

function revision(
  name: string,
  pick: (history: KnownHistory) => readonly [RevisionHints, string | undefined, Tree['revision']['how']],
): Case {
  return onSubject(name, async (subject) => {
    const [asked, sha, how] = pick(subject.history);
    const tree = await treeOf(subject, asked);
    assert.deepEqual({ sha: tree.revision.sha, how: tree.revision.how }, { sha, how });
  });
}

function hints(some: Partial<RevisionHints>): RevisionHints {
  return { commit: null, release: null, at: LATE, ...some };
}

function treeOf({ codeHost, repository }: CodeHostSubject, asked: RevisionHints): Promise<Tree> {
  return codeHost.tree(repository, asked, signal());
}

function signal(): AbortSignal {
  return new AbortController().signal;
}

function rejects(answer: Promise<unknown>, code: ErrorCode): Promise<void> {
  return assert.rejects(answer, (error) => isCulpritError(error, code));
}
