import { NO_SUSPECT } from '../domain/suspect.js';
import type { CodeHost } from '../ports/code-host.js';
import type { SourceMaps } from '../ports/source-maps.js';
import type { AnalysisInput, StepRunner } from './analysis.js';
import { crashSite } from './crash-site.js';
import type { Outlook } from './evidence/placed-frames.js';
import { crashException } from './locate/crash-exception.js';
import { readOriginals } from './source-maps/map-event.js';

const quietly: StepRunner = async (_name, work) => work();

export interface OutlookParts {
  readonly codeHost: CodeHost | null;
  readonly sourceMaps: SourceMaps | null;
  readonly signal: AbortSignal;
}

/**
 * Why no suspect can be found, from the revision and its list of files: the first steps of an analysis. `null`: nothing that is
 * known. Rejects like a `CodeHost`.
 */
export async function outlookOf(reported: AnalysisInput, parts: OutlookParts): Promise<Outlook | null> {
  const { codeHost, signal } = parts;
  const { repository } = reported.config;
  if (codeHost === null || repository === null)
    return { no_suspect: { code: 'no_code_host', detail: NO_SUSPECT.no_code_host }, gaps: [] };
  const maps = await readOriginals(reported.event, parts.sourceMaps, { step: quietly, signal });
  const input = { ...reported, event: maps.event };
  const site = { codeHost, repository, maps, signal, step: quietly };
  const { no_suspect, revision } = await crashSite(input, crashException(input.event), site);
  const gaps = revision?.gaps ?? [];
  return no_suspect === null && gaps.length === 0 ? null : { no_suspect, gaps };
}
