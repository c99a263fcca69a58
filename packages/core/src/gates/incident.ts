import type { EvidenceBundle } from '../domain/evidence.js';
import type { Run } from '../domain/run.js';
import { lastOf, sourcesOf, trustMix } from '../domain/source.js';
import { titleOf } from '../pipeline/normalise/index.js';
import type { RunHistory } from '../ports/run-history.js';

/**
 * What an analysis knows of the run. Older versions believed the clocks of untrusted senders: a run that they counted was
 * first seen when it was staged, at the earliest.
 */
export async function incidentOf(run: Run, runHistory: RunHistory): Promise<EvidenceBundle['incident']> {
  const incident = countersOf(run);
  if (run.first_crash_at !== undefined || trustMix(run).kind === 'trusted') return incident;
  const [staged] = await runHistory.history(run.run_id);
  if (staged === undefined) return incident;
  const { at } = staged;
  return { ...incident, first_seen: at, last_seen: lastOf(incident.last_seen, at), first_crash_at: at };
}

function countersOf(run: Run): EvidenceBundle['incident'] {
  const { event, fingerprint, level, platform, occurrences, first_seen, last_seen } = run;
  const { releases, environments, doors, regression_of, first_crash_at } = run;
  return {
    // Of the crash that the draft describes; the run keeps the title of its first one.
    title: titleOf(event),
    fingerprint,
    level,
    platform,
    occurrences,
    first_seen,
    last_seen,
    releases,
    environments,
    doors,
    regression_of,
    sources: sourcesOf(run),
    ...(first_crash_at === undefined ? {} : { first_crash_at }),
  };
}
