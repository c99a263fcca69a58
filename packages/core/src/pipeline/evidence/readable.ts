import type { EvidenceBundle, RecordedCall } from '../../domain/evidence.js';
import type { Blame, BlamedFile, Commit, Diff, DiffFile, DiffHunk, Tree } from '../../ports/code-host.js';
import type { SourceMapOutcome } from '../../ports/source-maps.js';
import { isDeniedPath } from '../locate/denied-path.js';
import { scrubFile, scrubText, type TextScrubber } from '../scrub-text.js';
import { sourcePath } from '../source-maps/map-event.js';
import { SCRUBBED } from '../versions.js';

/** Characters of a line of a diff, after scrubbing: half a secret matches no rule. */
const LINE_CHARS = 2_000;

export interface Reading {
  readonly scrub: TextScrubber;
  /** Fills the links of code hosts that have a page for each project. */
  readonly project: string;
}

type Reader = (answer: never, reading: Reading) => unknown;

const READERS: Readonly<Record<string, Reader>> = {
  'code_host tree': readTree,
  'code_host blame': readBlame,
  'code_host commits': (commits: readonly Commit[], { scrub }) =>
    commits.map((one) => readCommit(one, scrub)),
  'code_host diff': readDiff,
  'source_maps originals': (outcomes: readonly SourceMapOutcome[], { scrub }) =>
    outcomes.map((one) => readOutcome(one, scrub)),
};

/**
 * The part of a response that an analysis may read, and so all that its evidence can contain: no content of denied files, and
 * all text scrubbed. Reading twice changes nothing, so a replay reads what the analysis read.
 */
export function readable<T>(
  { port, method }: Pick<RecordedCall, 'port' | 'method'>,
  answer: T,
  reading: Reading,
): T {
  const reader = READERS[`${port} ${method}`];
  return reader === undefined ? answer : (reader(answer as never, reading) as T);
}

/** Stored evidence. That of older versions is scrubbed now; a path that is denied by now is read no more in any. */
export function readEvidence(stored: string, scrub: TextScrubber): EvidenceBundle {
  const { versions = {}, calls = [], ...bundle } = JSON.parse(stored) as EvidenceBundle;
  const isScrubbed = versions.evidence === SCRUBBED;
  const reading = { scrub: isScrubbed ? (text: string) => text : scrub, project: bundle.project };
  const read = calls.map((call) =>
    call.answer === null ? call : { ...call, answer: readable(call, call.answer, reading) },
  );
  return { ...bundle, versions, calls: read };
}

/** Stored evidence as it may leave the storage. */
export function cleanEvidence(stored: string): string {
  return JSON.stringify(readEvidence(stored, scrubText));
}

function readTree(tree: Tree, { project }: Reading): Tree {
  const { line } = tree.links;
  const own = line?.replaceAll('{project}', encodeURIComponent(project)) ?? null;
  return { ...tree, links: { ...tree.links, line: own } };
}

/** Who last changed a line of a denied file is no secret; what it says is. */
function readBlame(blame: Blame, { scrub }: Reading): Blame {
  const linesOf = ({ path, lines }: BlamedFile) =>
    lines === null || isDeniedPath(path) ? null : scrubbed(lines, scrub);
  return {
    ...blame,
    files: blame.files.map((file) => ({ ...file, lines: linesOf(file) })),
    recent: blame.recent.map((one) => ({ ...one, title: scrub(one.title) })),
  };
}

function readCommit(commit: Commit, scrub: TextScrubber): Commit {
  const { title, message, author, pull_request } = commit;
  return {
    ...commit,
    title: scrub(title),
    message: scrub(message),
    author: { ...author, name: scrub(author.name) },
    pull_request: pull_request && { ...pull_request, title: scrub(pull_request.title) },
  };
}

function readDiff(diff: Diff, { scrub }: Reading): Diff {
  return { ...diff, files: diff.files.map((file) => readChanges(file, scrub)) };
}

function readChanges(file: DiffFile, scrub: TextScrubber): DiffFile {
  if (isDeniedPath(file.path) || isDeniedPath(file.old_path)) return { ...file, hunks: [] };
  const text = file.hunks.flatMap(({ section, lines }) => [section, ...lines.map((line) => line.slice(1))]);
  const clean = scrubbed(text, scrub);
  let at = 0;
  const next = () => clean[at++]?.slice(0, LINE_CHARS - 1) ?? '';
  const hunks = file.hunks.map((hunk): DiffHunk => {
    const section = next();
    return { ...hunk, section, lines: hunk.lines.map((line) => line.slice(0, 1) + next()) };
  });
  return { ...file, hunks };
}

function readOutcome(outcome: SourceMapOutcome, scrub: TextScrubber): SourceMapOutcome {
  if (outcome.status !== 'mapped' || outcome.original.context === null) return outcome;
  const { source, context } = outcome.original;
  const lines = scrubbed(context.lines, scrub);
  return {
    ...outcome,
    original: {
      ...outcome.original,
      context: isDeniedPath(sourcePath(source)) ? null : { ...context, lines },
    },
  };
}

function scrubbed(lines: readonly string[], scrub: TextScrubber): readonly string[] {
  const text = lines.join('\n');
  const clean = scrubFile(text, scrub);
  // Most files are clean, and large ones are expensive to split.
  return clean === text ? lines : clean.split('\n');
}
