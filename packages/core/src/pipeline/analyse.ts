import type { Draft } from '../domain/draft.js';
import type { EvidenceBundle, RecordedCall } from '../domain/evidence.js';
import type { JsonObject } from '../domain/json.js';
import { CulpritError, isCulpritError } from '../errors/error.js';
import type { Diff, DiffFile, Tree } from '../ports/code-host.js';
import type { Explainer } from '../ports/explainer.js';
import { untilAborted } from '../resilience/time-limit.js';
import { type AnalysisInput, type AnalysisParts, type AnalysisResult, stepRunner } from './analysis.js';
import { briefFiles } from './brief/brief-files.js';
import { relatedTests } from './brief/related-tests.js';
import { composeDraft } from './draft/compose-draft.js';
import { evidenceItems } from './evidence/items.js';
import { readShownLines } from './evidence/placed-frames.js';
import {
  createLineWatch,
  type LineWatch,
  recordInvestigated,
  recordingCodeHost,
  recordingExplainer,
  recordingSourceMaps,
  startRecording,
} from './evidence/recorder.js';
import { explain } from './explain/explain.js';
import { AROUND, type Findings, findSuspects } from './find-suspects.js';
import { withFinding } from './investigate/with-finding.js';
import { crashException } from './locate/crash-exception.js';
import { basename } from './locate/tree-index.js';
import { findOwners } from './owners/find-owners.js';
import { runReleaseOf } from './releases/release-window.js';
import { textScrubber } from './scrub-text.js';
import { readOriginals } from './source-maps/map-event.js';
import { mapExcerpt } from './source-maps/map-excerpt.js';
import { PART_VERSIONS } from './versions.js';

export type {
  AnalysisConfig,
  AnalysisInput,
  AnalysisParts,
  AnalysisResult,
  AnalysisStep,
} from './analysis.js';

/**
 * Turns a crash into a draft: tree, located frames, blame, suspects, explanation, issue. If the code host fails in part, the
 * draft says so. Rejects only if the code host cannot be used at all (`code_host_unavailable`, `code_host_forbidden`,
 * `repository_not_found`) or the signal is aborted. The same input and responses give the same bytes.
 */
export async function analyse(input: AnalysisInput, parts: AnalysisParts): Promise<AnalysisResult> {
  try {
    return await untilAborted(analysed(input, parts), parts.signal);
  } catch (error) {
    if (isCulpritError(error) || !parts.signal.aborted) throw error;
    const detail = 'The analysis timed out. Approve Gate 1 again.';
    throw new CulpritError('code_host_unavailable', detail, { cause: error });
  }
}

async function analysed(reported: AnalysisInput, parts: AnalysisParts): Promise<AnalysisResult> {
  const { signal, clock } = parts;
  const step = stepRunner(parts);
  const scrub = textScrubber(reported.config.scrub);
  const recording = startRecording({ scrub, project: reported.project });
  const lines = createLineWatch();
  const sourceMaps = parts.sourceMaps && recordingSourceMaps(parts.sourceMaps, recording);
  const maps = await readOriginals(reported.event, sourceMaps, { step, signal });
  const { event, mapped } = maps;
  const input = { ...reported, event };
  const whole = new Set<string>();
  const codeHost =
    parts.codeHost &&
    recordingCodeHost(parts.codeHost, recording, {
      shape: (diff) => boundDiff(diff, ({ path, old_path }) => whole.has(path) || whole.has(old_path)),
      lines,
    });
  const thrown = crashException(input.event);
  const keep = (paths: readonly string[]) => {
    for (const path of paths) whole.add(path);
  };
  const found = await findSuspects(input, thrown, { codeHost, signal, step, keep, maps });
  const { repository } = input.config;
  const investigated = parts.investigated ?? null;
  if (investigated !== null) await recordInvestigated(recording, investigated);
  const caused =
    investigated !== null && codeHost !== null && repository !== null
      ? await step(
          'investigation',
          () =>
            withFinding(found, investigated, { codeHost, repository, config: input.config, scrub, signal }),
          ({ suspects }) => ({ sha: suspects[0]?.sha ?? null, probability: investigated.probability }),
        )
      : found;
  const ofMap = mapExcerpt(thrown?.exception.frames ?? [], mapped, AROUND, scrub);
  const findings = { ...caused, excerpt: caused.excerpt ?? ofMap };
  const ownership = await findOwners(findings, { codeHost, repository, signal, step, scrub });
  const { incident } = input;
  const items = evidenceItems({ incident, event, thrown, ...findings, scrub });
  const request = {
    title: scrub(incident.title),
    platform: incident.platform,
    occurrences: incident.occurrences,
    suspects: findings.suspects,
    evidence: items,
  };
  const { explainers, explainMs } = parts;
  const explanation = await step(
    'explain',
    () =>
      explain(request, {
        explainers,
        explainMs,
        clock,
        signal,
        scrub,
        wrap: (one) => recordingExplainer(one, recording),
      }),
    ({ source, model, claims, note }) => ({ source, model, claims: claims.length, note }),
  );
  const { earlierIssue = null, releaseWindow = null } = input.config;
  const release_window = runReleaseOf(releaseWindow, incident);
  const draft = await step(
    'compose',
    () =>
      composeDraft(
        {
          ...{ incident, event, thrown, ...findings, ownership, explanation, earlierIssue, release_window },
          investigated,
        },
        input.config,
      ),
    ({ digest, body, assignees }) => ({
      digest,
      characters: body.length,
      ...(assignees.length === 0 ? {} : { assignees }),
    }),
  );
  const evidence = bundleOf(reported, explainers, recording.calls(), draft);
  const { revision, suspects, no_suspect, learned } = findings;
  return {
    revision,
    suspects,
    no_suspect,
    ownership,
    release_window,
    learned,
    explanation,
    draft,
    evidence: asUsed(evidence, findings, lines),
  };
}

/**
 * Drops what was never read: files of a tree that were never looked up and are no test of the crashed files (a tree may list a
 * hundred thousand), and the lines of blamed files that neither the analysis nor a page shows.
 */
function asUsed(bundle: EvidenceBundle, findings: Findings, lines: LineWatch): EvidenceBundle {
  const of = (method: string, change: (answer: never) => unknown) => (call: RecordedCall) =>
    call.port !== 'code_host' || call.method !== method || call.answer === null
      ? call
      : { ...call, answer: change(call.answer as never) as JsonObject };
  const calls = bundle.calls.map(of('tree', (tree: Tree) => lookedUp(tree, findings)));
  readShownLines({ ...bundle, calls: calls.map(of('blame', lines.watched)) });
  return { ...bundle, calls: calls.map(of('blame', lines.used)) };
}

function lookedUp(tree: Tree, { index, located, suspects }: Findings): Tree {
  const tests = new Set(relatedTests(tree.paths, briefFiles(located, suspects)));
  const kept = (path: string) => index.consulted.has(basename(path)) || tests.has(path);
  return { ...tree, paths: tree.paths.filter(kept) };
}

function bundleOf(
  input: AnalysisInput,
  explainers: readonly Explainer[],
  calls: readonly RecordedCall[],
  draft: Draft,
): EvidenceBundle {
  const { run_id, project, generation, cycle, incident, event, config, analyzedAt } = input;
  const prompt = explainers.find(({ promptVersion }) => promptVersion !== undefined)?.promptVersion ?? 'none';
  return {
    format: 'culprit.evidence/1',
    run_id,
    project,
    generation,
    cycle,
    analyzed_at: analyzedAt,
    versions: { ...PART_VERSIONS, prompt, fingerprint: incident.fingerprint.version },
    config: config as unknown as JsonObject,
    incident,
    event,
    calls,
    draft,
  };
}

const MAX_FILES = 300;
const MAX_LINES = 4_000;
/** More than is kept after scrubbing. */
const LINE_CHARS = 4_000;

/**
 * A diff small enough to store: wanted files first, then the others in order until the limit, the rest by name only. The
 * analysis sees the same diff, so evidence and draft agree.
 */
function boundDiff(diff: Diff, wanted: (file: DiffFile) => boolean): Diff {
  let left = MAX_LINES;
  let cutAny = diff.truncated;
  const keep = (file: DiffFile): DiffFile => {
    const hunks = [];
    for (const hunk of file.hunks) {
      if (hunk.lines.length > left) {
        cutAny = true;
        break;
      }
      left -= hunk.lines.length;
      hunks.push({ ...hunk, lines: hunk.lines.map((line) => line.slice(0, LINE_CHARS)) });
    }
    return { ...file, hunks };
  };
  const kept = new Map<DiffFile, DiffFile>();
  for (const file of diff.files) if (wanted(file)) kept.set(file, keep(file));
  for (const file of diff.files) if (!kept.has(file)) kept.set(file, keep(file));
  const chosen = diff.files.filter((file, index) => index < MAX_FILES || wanted(file));
  return {
    sha: diff.sha,
    files: chosen.map((file) => kept.get(file) ?? file),
    truncated: cutAny || chosen.length < diff.files.length,
  };
}
