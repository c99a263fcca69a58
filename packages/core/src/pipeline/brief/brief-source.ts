import type { Event } from '../../domain/event.js';
import type { EvidenceBundle } from '../../domain/evidence.js';
import type { Run } from '../../domain/run.js';
import { readSuspect } from '../../domain/suspect.js';
import type { Diff } from '../../ports/code-host.js';
import type { DraftText } from '../draft/draft-source.js';
import { locatedCrash } from '../evidence/placed-frames.js';
import { excerptAround } from '../excerpt.js';
import { crashException } from '../locate/crash-exception.js';
import type { TextScrubber } from '../scrub-text.js';
import { mapEvent } from '../source-maps/map-event.js';
import { mapExcerpt } from '../source-maps/map-excerpt.js';
import { briefFiles } from './brief-files.js';
import { type ChangedTest, changedTests, relatedTests } from './related-tests.js';

/** The input of a fix brief: that of a draft, without anything that can become a link. */
export interface BriefSource extends DraftText {
  readonly run: Run;
  /** False before Gate 1: the repository was not read yet. */
  readonly analysed: boolean;
  /** True if crashes have arrived since whose event is not the analysed one. */
  readonly outdated: boolean;
  readonly files: readonly string[];
  /** By their names; among the files that the evidence lists. */
  readonly tests: readonly string[];
  /** By the commits that the analysis read. */
  readonly changedTests: readonly ChangedTest[];
  /** The code host truncated its list of files. */
  readonly truncated: boolean;
}

/** Lines shown on either side of the crashed line. */
const AROUND = 5;
const NO_LINKS: DraftText['links'] = { commit: null, line: null, pull_request: null };
const NO_EXPLANATION: DraftText['explanation'] = {
  source: 'template',
  model: null,
  claims: [],
  insufficient: true,
  note: null,
};

/** `bundle`: the evidence of the run's analysis; `null` if there is none. */
export function briefSource(run: Run, bundle: EvidenceBundle | null, scrub: TextScrubber): BriefSource {
  const used = run.explanation === null ? null : bundle;
  const { event, maps, tree, text, locate } = used === null ? nothing(run.event) : locatedCrash(used);
  const thrown = crashException(event);
  const located = thrown === null ? [] : locate(thrown.exception);
  const suspects = run.suspects.map((stored) => ({ ...readSuspect(stored), url: null }));
  const [crashed] = located;
  const around =
    crashed === undefined ? null : excerptAround(text.get(crashed.path), crashed.line, AROUND, scrub);
  const files = briefFiles(located, suspects);
  return {
    run,
    incident: run,
    event,
    thrown,
    located,
    links: NO_LINKS,
    revision: run.revision,
    excerpt:
      crashed && around
        ? { path: crashed.path, crashed: crashed.line, ...around }
        : mapExcerpt(thrown?.exception.frames ?? [], maps.mapped, AROUND, scrub),
    suspects,
    no_suspect: run.no_suspect,
    explanation: run.explanation ?? NO_EXPLANATION,
    earlierIssue: null,
    release_window: run.release_window ?? null,
    scrub,
    labels: [],
    analysed: run.explanation !== null,
    outdated: event.event_id !== run.event.event_id,
    files,
    tests: relatedTests(tree?.paths ?? [], files),
    changedTests: used === null ? [] : changedTests(diffsOf(used), files, suspects),
    truncated: tree?.truncated ?? false,
  };
}

function diffsOf({ calls }: EvidenceBundle): readonly Diff[] {
  return calls.flatMap(({ port, method, answer }) =>
    port === 'code_host' && method === 'diff' && answer !== null ? [answer as unknown as Diff] : [],
  );
}

const nothing = (event: Event): ReturnType<typeof locatedCrash> => ({
  event,
  maps: mapEvent(event, []),
  thrown: null,
  tree: null,
  text: new Map(),
  locate: () => [],
  candidates: () => [],
});
