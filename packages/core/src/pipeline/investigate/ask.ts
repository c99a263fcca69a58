import * as v from 'valibot';
import type { EvidenceBundle } from '../../domain/evidence.js';
import {
  type Answer,
  QUESTION_NAMES,
  QUESTIONS,
  type QuestionInput,
  type QuestionName,
  type QuestionProblem,
} from '../../domain/question.js';
import type { Run } from '../../domain/run.js';
import type { Suspect } from '../../domain/suspect.js';
import { isCulpritError } from '../../errors/error.js';
import type { CodeHost, Commit, RepositoryQuestions } from '../../ports/code-host.js';
import { readable } from '../evidence/readable.js';
import type { TextScrubber } from '../scrub-text.js';
import { answerText, type Reply } from './answer-text.js';
import { isNotCopied, questionsOf } from './repository.js';
import { showCommit } from './show-commit.js';
import { showCrash } from './show-crash.js';
import { showRanking } from './show-ranking.js';
import { blameLines, listFolder, readSource, searchHistory, searchSource } from './source.js';

export interface AskParts {
  readonly codeHost: CodeHost;
  readonly repository: string;
  /** The crashed revision, full SHA: nothing that it does not contain is answered. */
  readonly revision: string;
  readonly bundle: EvidenceBundle;
  /** The ranking's, in its order. */
  readonly suspects: () => Promise<readonly Suspect[]>;
  readonly run: Run;
  readonly scrub: TextScrubber;
  readonly signal: AbortSignal;
}

/** What questions are answered from. Text of its answers is not scrubbed, except of `blame`, `commits` and `diff`. */
export interface Asking extends AskParts {
  readonly questions: RepositoryQuestions;
  /** The full SHA of a commit that the crashed revision contains; of its first parent with `^`; without one the revision. */
  readonly at: (commit: string | undefined) => Promise<string | null>;
  readonly commits: (shas: readonly string[]) => Promise<readonly Commit[]>;
}

type Handlers = {
  readonly [Name in QuestionName]: (input: QuestionInput<Name>, asking: Asking) => Promise<Reply>;
};

const HANDLERS: Handlers = {
  read_source: readSource,
  list_folder: listFolder,
  search_source: searchSource,
  search_history: searchHistory,
  show_commit: showCommit,
  blame_lines: blameLines,
  show_crash: (_, asking) => showCrash(asking),
  show_ranking: async (_, asking) => showRanking(asking, await asking.suspects()),
};

/** The questions that a repository's code host can answer. */
export function availableQuestions({ questions }: CodeHost): readonly QuestionName[] {
  return QUESTION_NAMES.filter((name) => {
    if (name === 'search_source') return questions?.search !== undefined;
    return name === 'search_history' ? questions?.history !== undefined : true;
  });
}

/** What errors of a code host say of the question; any other means that the host could not answer it: a copy may lack objects. */
const PROBLEMS: Readonly<Partial<Record<string, QuestionProblem>>> = {
  timed_out: 'too_slow',
  malformed: 'invalid',
  revision_not_found: 'not_found',
};

/** Problems are codes in the answer, those of the code host too, so that one question ends no investigation. Rejects once the signal aborts. */
export async function ask(
  parts: AskParts,
  question: { readonly name: string; readonly input: unknown },
): Promise<Answer> {
  const reply = await replyTo(parts, question);
  if (typeof reply === 'string') return { text: '', more: false, problem: reply };
  const { text, more } = answerText(reply.lines, parts.scrub);
  return { text, more: more || reply.more === true, problem: null };
}

async function replyTo(
  parts: AskParts,
  { name, input }: { readonly name: string; readonly input: unknown },
): Promise<Reply> {
  if (!Object.hasOwn(QUESTIONS, name)) return 'invalid';
  const known = name as QuestionName;
  const parsed = v.safeParse(QUESTIONS[known].input, input ?? {});
  if (!parsed.success) return 'invalid';
  const handle = HANDLERS[known] as (input: unknown, asking: Asking) => Promise<Reply>;
  try {
    return await handle(parsed.output, askingOf(parts));
  } catch (error) {
    const { aborted, reason } = parts.signal;
    if (aborted && (reason as Error).name === 'TimeoutError') return 'too_slow';
    parts.signal.throwIfAborted();
    if (isNotCopied(error)) return 'not_available';
    if (!isCulpritError(error)) throw error;
    return PROBLEMS[error.code] ?? 'failed';
  }
}

function askingOf(parts: AskParts): Asking {
  const { codeHost, repository, revision, bundle, scrub, signal } = parts;
  const questions = questionsOf(codeHost, bundle);
  const reading = { scrub, project: bundle.project };
  const commits = async (shas: readonly string[]) =>
    readable(
      { port: 'code_host', method: 'commits' },
      await codeHost.commits(repository, shas, signal),
      reading,
    );
  return {
    ...parts,
    questions,
    commits,
    async at(commit) {
      if (commit === undefined) return revision;
      const full = await questions.contained(repository, revision, commit.replace('^', ''), signal);
      if (full === null || !commit.endsWith('^')) return full;
      const [one] = await commits([full]);
      return one?.parents[0] ?? null;
    },
  };
}
