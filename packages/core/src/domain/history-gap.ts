import * as v from 'valibot';
import { about, type Doc } from './schema.js';

const words = {
  detail: v.string(),
  command: about(v.nullable(v.string()), 'What closes the gap, run in the clone.'),
};
export const gapSchema = v.variant('code', [
  v.object({
    code: v.literal('shallow'),
    since: about(v.string(), 'Before this time the history is incomplete.'),
    ...words,
  }),
  v.object({ code: v.picklist(['missing_content', 'files_not_listed']), ...words }),
  /** `commits`: how many have a replacement or a graft. */
  v.object({ code: v.literal('replaced'), commits: v.number(), ...words }),
  v.object({ code: v.literal('submodule'), path: v.string(), ...words }),
  /** `named`: the commit that the crash names. */
  v.object({ code: v.literal('revision_missing'), named: v.string(), ...words }),
]);
/** A gap with its words. `detail` may contain names from the repository or the crash. */
export type HistoryGap = Doc<typeof gapSchema>;

type WithoutWords<Gap> = Gap extends HistoryGap ? Omit<Gap, keyof typeof words> : never;
/** What a repository does not show of its history or its files. The parameters of each code are data; its words are in {@link GAPS}. */
export type GapFact = WithoutWords<HistoryGap>;
/** A stable code of a gap. */
export type GapCode = GapFact['code'];

interface Words<Fact> {
  readonly detail: (fact: Fact) => string;
  /** What closes the gap, run in the clone. `null`: no command does. */
  readonly command: string | null;
}

const GAPS: { readonly [Code in GapCode]: Words<Extract<GapFact, { readonly code: Code }>> } = {
  shallow: {
    detail: ({ since }) =>
      `The clone is shallow: before ${dayOf(since)} its history is incomplete, so an older cause cannot be found.`,
    command: 'git fetch --unshallow',
  },
  missing_content: {
    detail: () =>
      'The clone is partial: the content of some files was not fetched, so some changes cannot be read.',
    command: 'git fetch --refetch --no-filter',
  },
  replaced: {
    detail: ({ commits }) =>
      `The repository replaces ${commits === 1 ? 'one commit' : `${commits} commits`} (git replace, grafts). Culprit reads the original history, so it may differ from git log.`,
    command: null,
  },
  files_not_listed: {
    detail: () =>
      'The code host does not list all files, so a frame may be missing here. A code mapping helps.',
    command: null,
  },
  submodule: {
    detail: ({ path }) =>
      `The crash goes through the submodule ${path}, which is another repository. Its history is not read.`,
    command: null,
  },
  revision_missing: {
    detail: ({ named }) =>
      `The crash names commit ${named.slice(0, 12)}, which is not in the repository. Another commit was analysed instead, so lines may differ.`,
    command: 'git fetch --all --tags',
  },
};

function dayOf(iso: string): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? 'an unknown time' : new Date(time).toISOString().slice(0, 10);
}

/** A gap with its words and its command. */
export function historyGap(fact: GapFact): HistoryGap {
  const { detail, command } = GAPS[fact.code] as Words<GapFact>;
  return { ...fact, detail: detail(fact), command };
}
