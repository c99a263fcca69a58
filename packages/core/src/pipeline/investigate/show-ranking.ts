import type { EvidenceBundle } from '../../domain/evidence.js';
import type { Suspect } from '../../domain/suspect.js';
import { likelihood, unratedTexts } from '../../domain/verdict.js';
import type { Blame, Commit } from '../../ports/code-host.js';
import { locatedCrash } from '../evidence/placed-frames.js';
import { day, type Reply, short } from './answer-text.js';
import type { Asking } from './ask.js';

/** Suspects and other candidates. */
const LISTED = 12;

/** The suspects with their reasons, then the other commits that last changed lines of the stack or the crashed file. */
export function showRanking({ run, bundle }: Asking, suspects: readonly Suspect[]): Reply {
  const lines = suspects.slice(0, LISTED).flatMap((suspect, index) => {
    const { sha, committed_at, title, reasons } = suspect;
    return [
      `${index + 1}. ${short(sha)} ${day(committed_at)} ${likelihood(suspect)}: ${title}`,
      ...reasons.map(({ text }) => `   - ${plain(text)}`),
    ];
  });
  const others = otherCandidates(bundle, suspects).slice(0, Math.max(0, LISTED - suspects.length));
  return {
    lines: [
      ...unratedTexts(suspects).map((why) => `no probability: ${why}`),
      ...(suspects.length === 0 ? [`No suspect: ${run.no_suspect?.detail ?? 'none was found'}`] : lines),
      ...(others.length === 0 ? [] : ['Other commits that last changed these files, without a rating:']),
      ...others.map(({ sha, committed_at, title }) => `- ${short(sha)} ${day(committed_at)} ${title}`),
    ],
  };
}

/** A reason is Markdown, with code spans. */
function plain(markdown: string): string {
  return markdown.replace(/(`+) ?(.*?) ?\1/g, '$2');
}

/** Commits that the analysis read: those that own a line of the stack first, crash first, then the history of these files. */
function otherCandidates(bundle: EvidenceBundle, suspects: readonly Suspect[]): readonly Commit[] {
  const answers = <T>(method: string) =>
    bundle.calls.flatMap((call) =>
      call.port === 'code_host' && call.method === method && call.answer !== null
        ? [call.answer as unknown as T]
        : [],
    );
  const files = answers<Blame>('blame')[0]?.files ?? [];
  const { thrown, locate } = locatedCrash(bundle);
  const located = thrown === null ? [] : locate(thrown.exception);
  const owners = located.flatMap(({ path, line }) => {
    const { ranges = [] } = files.find((file) => file.path === path) ?? {};
    return ranges.filter(({ start, end }) => start <= line && line <= end);
  });
  const order = [...owners, ...files.flatMap(({ history }) => history)].map(({ sha }) => sha);
  const known = new Map(
    answers<readonly Commit[]>('commits').flatMap((all) => all.map((one) => [one.sha, one])),
  );
  const taken = new Set(suspects.map(({ sha }) => sha));
  return [...new Set(order)].flatMap((sha) => (taken.has(sha) ? [] : (known.get(sha) ?? [])));
}
