import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@culprit/client';
import type { Delivery } from '@culprit/core/internal/domain/delivery';
import { EVENT_ID } from '@culprit/core/internal/domain/event-id';
import { trustOf } from '@culprit/core/internal/domain/trust';
import { replay } from '@culprit/core/internal/pipeline/evidence/replay';
import type { ClientConfig } from '../config/load-config.js';
import { type CapturedRequest, newEventId, throughDoor } from './captured.js';
import type { CaseResult, ReplayCase, ReplayItem, RunResult, Until } from './replay-case.js';
import { sendThroughDoor } from './send.js';

export interface HostOptions extends Pick<ClientConfig, 'edge' | 'doorSecrets'> {
  readonly api: Client;
  readonly until: Until;
  readonly freshIds: boolean;
}

/** Longest time between the edge's answer and the run's arrival in core. */
const ARRIVAL_MS = 15_000;
const POLL_MS = 100;

/**
 * Replays deliveries through the doors of a running host and opens its gates. Compares the host's draft with the draft
 * derived here from the host's evidence.
 */
export function hostReplayer(options: HostOptions): (one: ReplayCase) => Promise<CaseResult> {
  return async (one) => {
    if (one.kind === 'evidence') {
      const runs = [await pass(one.bundle.run_id, options)];
      return { name: one.name, runs, outcomes: {}, drafts: [], deliveries: 0 };
    }
    const outcomes: Record<string, number> = {};
    const ids: string[] = [];
    for (const item of one.items) {
      const answer = await sendThroughDoor(
        options.edge.url,
        requestOf(item, options.freshIds),
        options.doorSecrets(null),
      );
      const outcome = answer.status < 300 ? 'accepted' : `status_${answer.status}`;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (answer.status < 300 && answer.event_id !== null) ids.push(answer.event_id);
    }
    const runs: RunResult[] = [];
    for (const runId of await arrived(options.api, ids)) runs.push(await pass(runId, options));
    return { name: one.name, runs, outcomes, drafts: [], deliveries: one.items.length };
  };
}

function requestOf(item: ReplayItem, freshIds: boolean): CapturedRequest {
  const request = 'request' in item ? item.request : crashRequest(item.delivery);
  return freshIds ? { ...request, body: renamed(request.body) } : request;
}

/** An untrusted crash stays untrusted: it goes through the SDK door. */
function crashRequest(delivery: Delivery): CapturedRequest {
  const { event_id, crash } = delivery;
  const body = Buffer.from(JSON.stringify({ event_id, ...crash }));
  const headers = { 'content-type': 'application/json' };
  if (trustOf(delivery) === 'trusted') return throughDoor('native', body, headers);
  return { ...throughDoor('sdk', body, headers), path: '/api/1/store/' };
}

/** The same body with a new event id everywhere; compressed bodies are unchanged. */
function renamed(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body).toString('utf8');
  const id = /"event_id"\s*:\s*"([^"\\]{1,128})"/.exec(text)?.[1] ?? '';
  return !EVENT_ID.test(id) ? body : Buffer.from(text.replaceAll(id, newEventId()));
}

/** Runs in which the latest event of a door is one of these. Waits for the last one, at most `ARRIVAL_MS`. */
async function arrived(api: Client, ids: readonly string[]): Promise<readonly string[]> {
  const last = ids.at(-1);
  if (last === undefined) return [];
  const wanted = new Set(ids);
  const seen = new Map<string, number>();
  const found = new Set<string>();
  for (const deadline = Date.now() + ARRIVAL_MS; Date.now() < deadline; await delay(POLL_MS)) {
    let complete = false;
    for (const { run_id, occurrences, sources = [] } of (await api.listRuns({ limit: 200 })).runs) {
      if (seen.get(run_id) === occurrences) continue;
      seen.set(run_id, occurrences);
      for (const { event_id } of sources) {
        if (event_id !== null && wanted.has(event_id)) found.add(run_id);
        complete ||= event_id === last;
      }
    }
    if (complete) break;
  }
  return [...found];
}

async function pass(runId: string, { api, until }: HostOptions): Promise<RunResult> {
  if (until !== 'gate1' && (await api.getRun({ run_id: runId })).state === 'staged_raw')
    await api.approveGateOne({ run_id: runId });
  let run = await api.getRun({ run_id: runId });
  if (until === 'published' && run.state === 'staged_draft' && run.draft !== null) {
    await api.approveGateTwo({ run_id: runId, if_match: run.draft.digest });
    run = await api.getRun({ run_id: runId });
  }
  const { title, state, occurrences } = run;
  const about = { run_id: runId, title, state, occurrences };
  if (run.draft === null) return { ...about, digest: null, expected: null, verdict: 'staged', detail: null };
  const bundle = await api.getEvidence({ run_id: runId });
  const { digest } = (await replay(bundle)).draft;
  const verdict = digest === bundle.draft.digest ? 'same' : 'different';
  return { ...about, digest, expected: bundle.draft.digest, verdict, detail: null };
}
