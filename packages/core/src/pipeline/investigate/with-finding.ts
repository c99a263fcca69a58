import type { Investigated } from '../../domain/investigation.js';
import type { Suspect } from '../../domain/suspect.js';
import { withoutUnmeasured } from '../../domain/verdict.js';
import type { CodeHost, Commit } from '../../ports/code-host.js';
import type { AnalysisConfig } from '../analysis.js';
import type { Findings } from '../find-suspects.js';
import { hunkWith } from '../rank/hunk.js';
import { shownCommit } from '../rank/rank-suspects.js';
import { reason, withReleases } from '../rank/reason-wording.js';
import { SHOWN_SUSPECTS } from '../rank/weights.js';
import type { TextScrubber } from '../scrub-text.js';
import { verdictOf } from './probability.js';

interface FindingParts {
  readonly codeHost: Pick<CodeHost, 'commits' | 'diff'>;
  readonly repository: string;
  readonly config: Pick<AnalysisConfig, 'releaseWindow'>;
  readonly scrub: TextScrubber;
  readonly signal: AbortSignal;
}

/** The second commit of a finding has this share of what the first leaves; the ranking's suspects share the rest. */
const SECOND = 0.5;

/**
 * The findings of an analysis with the commits of an investigation before the suspects of the ranking. Only the first has a
 * probability: it was measured for no other how often it is right then.
 */
export async function withFinding(
  found: Findings,
  investigated: Investigated,
  parts: FindingParts,
): Promise<Findings> {
  const { codeHost, repository, scrub, signal, config } = parts;
  const { by, finding, probability, measured, questions } = investigated;
  const ranked = new Map(found.suspects.map((suspect) => [suspect.sha, suspect]));
  const unknown = finding.commits.filter((sha) => !ranked.has(sha));
  const commits = unknown.length === 0 ? [] : await codeHost.commits(repository, unknown, signal);
  const fresh = new Map(
    withReleases(
      commits.map((commit) => suspectOf(commit, scrub)),
      config,
    ).map((suspect) => [suspect.sha, suspect]),
  );
  const [first, ...others] = finding.commits.flatMap((sha) => ranked.get(sha) ?? fresh.get(sha) ?? []);
  if (first === undefined) return found;
  const diff = await codeHost.diff(repository, first.sha, signal);
  const quote = scrub(finding.quote);
  const why = reason({ code: 'investigated', quote, place: finding.place });
  const { unrated: _unrated, ...rated } = first;
  const cause: Suspect = {
    ...rated,
    probability,
    verdict: verdictOf(probability),
    reasons: [why, ...first.reasons],
    hunk: hunkWith(diff, quote, scrub) ?? first.hunk,
    found_by: { by, questions, measured },
  };
  const rest = [...others, ...found.suspects.filter(({ sha }) => !finding.commits.includes(sha))];
  const left = 1 - probability;
  const share = (suspect: Suspect, index: number) =>
    index === 0 && others.length > 0 ? left * SECOND : left * SECOND * (suspect.probability ?? 0);
  const behind = rest.map((suspect, index) =>
    withoutUnmeasured<Suspect>({
      ...suspect,
      probability: share(suspect, index),
      verdict: 'recent',
      unrated: { code: 'investigated' },
    }),
  );
  const messages = new Map([
    ...found.messages,
    ...commits.map(({ sha, message }) => [sha, bodyOf(message)] as const),
  ]);
  return { ...found, suspects: [cause, ...behind].slice(0, SHOWN_SUSPECTS), no_suspect: null, messages };
}

/** A commit that the ranking did not suspect: it has no score. */
function suspectOf(commit: Commit, scrub: TextScrubber): Suspect {
  const { sha, committed_at } = commit;
  return {
    sha,
    committed_at: new Date(committed_at).toISOString(),
    ...shownCommit(commit, scrub),
    score: 0,
    components: {},
    probability: null,
    verdict: 'recent',
    reasons: [],
    frames: [],
    hunk: null,
  };
}

function bodyOf(message: string): string {
  return message.slice(message.indexOf('\n') + 1 || message.length).trim();
}
