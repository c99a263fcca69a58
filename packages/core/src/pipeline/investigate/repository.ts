import type { EvidenceBundle } from '../../domain/evidence.js';
import { isCulpritError } from '../../errors/error.js';
import {
  type CodeHost,
  type FolderEntry,
  NOT_COPIED,
  type RepositoryQuestions,
} from '../../ports/code-host.js';

/** Hints that name a commit need no time. */
const ANY_TIME = new Date(0).toISOString();

/**
 * The questions of a code host. One that has none of its own, or no copy of the repository, can answer some from its blame, its tree and
 * what it knows of ancestry.
 */
export function questionsOf(codeHost: CodeHost, bundle: Pick<EvidenceBundle, 'calls'>): RepositoryQuestions {
  const { questions } = codeHost;
  if (questions === undefined) return basicQuestions(codeHost, bundle);
  const either = async <Answer>(ask: (of: RepositoryQuestions) => Promise<Answer>) => {
    try {
      return await ask(questions);
    } catch (error) {
      if (!isNotCopied(error)) throw error;
      return ask(basicQuestions(codeHost, bundle));
    }
  };
  return {
    ...questions,
    contained: (...asked) => either((of) => of.contained(...asked)),
    lines: (...asked) => either((of) => of.lines(...asked)),
    folder: (...asked) => either((of) => of.folder(...asked)),
  };
}

/** True: the host has no copy of the repository. */
export function isNotCopied(error: unknown): boolean {
  return isCulpritError(error) && error.reason === NOT_COPIED;
}

function basicQuestions(codeHost: CodeHost, { calls }: Pick<EvidenceBundle, 'calls'>): RepositoryQuestions {
  /** Commits that the analysis met below the crashed revision. */
  const met = () => new Set(JSON.stringify(calls).match(/\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b/g));
  return {
    async contained(repository, revision, commit, signal) {
      const wanted = commit.toLowerCase();
      const found = [...met()].filter((one) => one.startsWith(wanted));
      const full = found.length === 1 ? found[0] : wanted;
      if (full === undefined || full.length < 40) return null;
      const hints = { commit: revision, release: null, at: ANY_TIME };
      const inside =
        full === revision || (await codeHost.ancestry?.contains(repository, full, hints, signal));
      return inside === true ? full : null;
    },
    async lines(repository, revision, path, signal) {
      const { files } = await codeHost.blame(repository, revision, [path], signal);
      return files[0]?.status === 'ok' ? files[0].lines : null;
    },
    async folder(repository, revision, path, signal) {
      const hints = { commit: revision, release: null, at: ANY_TIME, paths: [`${path}/`] };
      const { paths, revision: found } = await codeHost.tree(repository, hints, signal);
      return found.sha === revision ? entriesOf(paths, path) : null;
    },
  };
}

/** What is directly in the folder, folders first. */
function entriesOf(paths: readonly string[], folder: string): readonly FolderEntry[] | null {
  const prefix = folder === '' ? '' : `${folder}/`;
  const kinds = new Map<string, FolderEntry['kind']>();
  for (const path of paths) {
    if (!path.startsWith(prefix)) continue;
    const [name = '', ...below] = path.slice(prefix.length).split('/');
    kinds.set(name, below.length > 0 ? 'folder' : 'file');
  }
  const entries = [...kinds].map(([name, kind]) => ({ name, kind }));
  const folders = entries.filter(({ kind }) => kind === 'folder');
  return kinds.size === 0 ? null : [...folders, ...entries.filter(({ kind }) => kind === 'file')];
}
