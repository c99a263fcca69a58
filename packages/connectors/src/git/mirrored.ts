import { join, resolve } from 'node:path';
import { type CodeHost, type ConnectorContext, CulpritError, isCulpritError } from '@culprit/core/connector';
import { asCulpritError } from '@culprit/core/internal/errors/error';
import { NOT_COPIED, type RepositoryQuestions } from '@culprit/core/internal/ports/code-host';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import { timeLimit, untilAborted } from '@culprit/core/internal/resilience/time-limit';
import * as v from 'valibot';
import { gitConfig } from './config.js';
import { createMirrors, type MirrorSource, type Mirrors } from './mirrors.js';
import { openGit } from './open-git.js';

/** A mirror of this age is current enough for a question that names no commit. */
const FRESH_MS = 60_000;
/** How long a question waits for a copy that the host can do without. */
const WAIT_MS = 15_000;
/** When a copy is tried again that could not be made. */
const RETRY_MS = 60 * 60_000;
const MAX_FAILED = 1_024;

/** How the repositories of one server are copied. */
export interface MirroredOptions {
  readonly directory: string;
  /** Base address of the server: two servers may have repositories of the same name. */
  readonly url: string;
  /** Time limit of one fetch. */
  readonly timeoutMs: number;
  readonly maxMb?: number | undefined;
  readonly maxDays?: number | undefined;
  /**
   * True: the host can do without a copy. One that cannot be made, or takes longer than somebody waits for, rejects with the reason
   * `NOT_COPIED`; the fetch goes on, and a failed one is repeated after an hour.
   */
  readonly optional?: true;
  readonly buildGraphs: boolean;
  /** Those that are copied at once. */
  readonly repositories: readonly string[];
  /** `owner/name` of an address; groups may precede it. */
  nameOf(repository: string): string;
  /** Where a repository is now: it may have been renamed. The fetch outlives the question, so it has no signal. */
  source(repository: string): Promise<MirrorSource>;
}

/** Asks a mirror, by its path. */
export type Ask<Answer> = (path: string, history: CodeHost) => Promise<Answer | null> | undefined;

/** Reads a server's repositories from copies, which are fetched when they lack what is asked for. */
export interface Mirrored {
  readonly mirrors: Mirrors;
  readonly questions: RepositoryQuestions;
  /** What the mirror answers. `null`: it does not have the commit. */
  asked<Answer>(
    repository: string,
    signal: AbortSignal,
    ask: Ask<Answer>,
    isFinal?: (answer: Answer | null) => boolean,
  ): Promise<Answer | null>;
  /** What it answers about a commit. Rejects with `revision_not_found` if it does not have it. */
  known<Answer>(repository: string, sha: string, signal: AbortSignal, ask: Ask<Answer>): Promise<Answer>;
  close(): Promise<void>;
}

/** Opens the copies of one server. Fetches of `options.repositories` begin. */
export function openMirrored(context: ConnectorContext, options: MirroredOptions): Mirrored {
  const { url, timeoutMs, buildGraphs, nameOf, maxMb, maxDays } = options;
  const server = encodeURIComponent(url.replace(/^https?:\/\//, '').toLowerCase());
  const directory = join(options.directory, server);
  const mirrors = createMirrors({ directory, timeoutMs, maxMb, maxDays });
  const graphDirectory = resolve(directory, 'commit-graphs');
  const { codeHost: history, close } = openGit(v.parse(gitConfig, { graphDirectory, buildGraphs }));

  const whole = (repository: string, signal: AbortSignal) =>
    mirrors.fetch(nameOf(repository), () => options.source(repository), signal);
  const failed = boundedMap<string, { readonly error: unknown; readonly at: number }>(MAX_FAILED);
  const late = new Set<string>();
  /** Remembers failures, and waits only once for a fetch that takes long. */
  const short = async (repository: string, signal: AbortSignal) => {
    const name = nameOf(repository);
    const last = failed.get(name);
    if (last !== undefined && Date.now() - last.at < RETRY_MS) throw last.error;
    const fetched = whole(repository, context.signal).then(
      () => void late.delete(name),
      (cause) => {
        const error = notCopied(asCulpritError(cause, 'code_host_unavailable', 'The copy failed.'));
        failed.set(name, { error, at: Date.now() });
        throw error;
      },
    );
    const limit = timeLimit(late.has(name) ? 0 : WAIT_MS, signal);
    try {
      await untilAborted(fetched, limit);
    } catch (error) {
      signal.throwIfAborted();
      if (isCulpritError(error)) throw error;
      late.add(name);
      const detail = `The copy of ${repository} is not complete yet.`;
      throw notCopied(new CulpritError('code_host_unavailable', detail));
    }
  };
  const fetch = options.optional ? short : whole;
  const asked: Mirrored['asked'] = async (repository, signal, ask, isFinal = (answer) => answer !== null) => {
    signal.throwIfAborted();
    const name = nameOf(repository);
    const answered = async () => {
      const answer = (await ask(mirrors.pathOf(name), history)?.catch(nullIfUnknown)) ?? null;
      if (answer !== null) await mirrors.used(name);
      return answer;
    };
    if (!(await mirrors.exists(name))) await fetch(repository, signal);
    const answer = await answered();
    const at = mirrors.fetchedAt(name);
    // Asks once more after a fetch, unless that happened a moment ago.
    if (isFinal(answer) || (at !== null && Date.now() - at < FRESH_MS)) return answer;
    await fetch(repository, signal);
    return answered();
  };
  const known: Mirrored['known'] = async (repository, sha, signal, ask) => {
    const answer = await asked(repository, signal, ask);
    if (answer !== null) return answer;
    const shown = JSON.stringify(sha.slice(0, 64));
    throw new CulpritError(
      'revision_not_found',
      `No branch or tag of ${repository} contains commit ${shown}.`,
    );
  };
  for (const repository of options.repositories)
    fetch(repository, context.signal).catch((err) => {
      context.logger.warn({ err, repository }, 'a repository could not be copied');
    });
  return {
    ...{ mirrors, asked, known },
    questions: questionsOf(known),
    async close() {
      await mirrors.close();
      await close();
    },
  };
}

/** Every question is about a revision that the mirror must have. */
function questionsOf(known: Mirrored['known']): RepositoryQuestions {
  const answeredBy =
    <Asked, Answer>(
      of: (
        questions: Required<RepositoryQuestions>,
      ) => (path: string, revision: string, asked: Asked, signal: AbortSignal) => Promise<Answer>,
    ) =>
    async (repository: string, revision: string, asked: Asked, signal: AbortSignal): Promise<Answer> => {
      const { answer } = await known(repository, revision, signal, async (path, { questions }) => ({
        answer: await of(questions as Required<RepositoryQuestions>)(path, revision, asked, signal),
      }));
      return answer;
    };
  return {
    contained: answeredBy(({ contained }) => contained),
    lines: answeredBy(({ lines }) => lines),
    folder: answeredBy(({ folder }) => folder),
    search: answeredBy(({ search }) => search),
    history: answeredBy(({ history }) => history),
  };
}

function notCopied(cause: CulpritError): CulpritError {
  return new CulpritError(cause.code, cause.message, { retryable: false, reason: NOT_COPIED, cause });
}

/** A code host that answers questions from copies, if there are any. */
export function withCopies(codeHost: CodeHost, mirrored: Mirrored | null): CodeHost {
  return mirrored === null ? codeHost : Object.assign(codeHost, { questions: mirrored.questions });
}

function nullIfUnknown(error: unknown): null {
  if (isCulpritError(error, 'revision_not_found')) return null;
  throw error;
}
