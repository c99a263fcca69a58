import type { EvidenceBundle, OccurrenceEntry, PlacedStack, Run } from '@culprit/core';
import { summarise } from '@culprit/core/internal/domain/run';
import { reason } from '@culprit/core/internal/pipeline/rank/reason-wording';
import { standardSanitiser } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import { makeFrame } from '@culprit/core/internal/testing/builders';
import { makeDraft, makeSuspect } from '@culprit/core/internal/testing/make-run';
import { makeEvent, makeRun } from '@culprit/core/testing';
import type { ToolAccess } from '../../src/mcp/server.js';

/** What core would return if every text in it, of any origin, were this one. */
export function hostileReads(text: string): ToolAccess {
  const run = hostileRun(text);
  const stack: PlacedStack = {
    exception: 1,
    frames: [
      {
        frame: 0,
        path: text,
        line: 3,
        how: 'suffix',
        url: text,
        verified: false,
        source: { from: 1, lines: [text, text] },
      },
    ],
    others: [
      {
        exception: 0,
        frames: [{ frame: 0, path: text, line: 1, how: 'exact', url: null, verified: null, source: null }],
      },
    ],
    originals: [0, 1].map((exception) => ({
      exception,
      frame: 1,
      file: text,
      line: 3,
      function: text,
      source: { from: 1, lines: [text, text] },
    })),
    missing_source_maps: [
      { code: 'no_source_map', file: text, release: text, dist: text, command: text },
      { code: 'other_build', file: text, release: null, dist: null, command: text },
    ],
  };
  const entry: OccurrenceEntry = {
    number: 1,
    event_id: text,
    received_at: text,
    release: text,
    environment: text,
    door: 'sdk',
    trust: 'untrusted',
    user: text,
    stored: true,
  };
  return {
    listRuns: async () => ({ runs: [summarise(run), summarise({ ...run, suspects: [] })], next: text }),
    getRun: async () => run,
    getStack: async () => stack,
    listOccurrences: async () => ({ occurrences: [entry], events: [], next: text }),
    getOccurrence: async () => ({ occurrence: entry, event: run.event }),
    getEvidence: async () => hostileEvidence(text, run),
    getBrief: async () => '',
    getDraft: async () => makeDraft({ title: text, body: text, digest: text }),
    readSource: async () => ({ text, more: true, problem: null }),
    getInvestigation: async () => ({
      investigation: {
        ...{
          state: 'offered',
          by: { kind: 'agent', name: text, person: text },
          started_at: text,
          ended_at: text,
        },
        ...{
          questions: 1,
          tokens: 0,
          cost: null,
          probability: 0.5,
          measured: false,
          reason: 'edited',
          detail: text,
        },
        finding: {
          ...{ commits: [text], mechanism: text, place: { path: text, line: 1 }, quote: text },
          ...{ probability: 0.5, none_probability: 0 },
        },
        checks: [{ code: 'quote_in_diff', ok: false, detail: text }],
        ranking: [{ sha: text, title: text, probability: null, verdict: 'recent' }],
      },
      answers: true,
      asked: [
        {
          ...{ number: 1, question: 'search_source', input: { text }, text, more: true, problem: null },
          ...{ at: text, ms: 1 },
        },
      ],
    }),
    editDraft: async () => makeDraft({ digest: text }),
    commentOnRun: async () => run,
    scrub: (dirty) => standardSanitiser.text(dirty).value,
  };
}

function hostileRun(text: string): Run {
  const frame = makeFrame({ file: text, function: text, module: text, line: 1, vars: { [text]: text } });
  const exception = {
    type: text,
    value: text,
    module: text,
    handled: null,
    synthetic: false,
    mechanism: null,
    frames: [frame, frame],
  };
  const event = makeEvent({
    exceptions: [exception, exception],
    message: text,
    release: text,
    environment: text,
    transaction: text,
    tags: { [text]: text },
    request: { [text]: text },
    contexts: { [text]: { name: text } },
    user: { id: text },
    extra: { [text]: text },
    breadcrumbs: [{ category: text, message: text }],
    trust: 'untrusted',
  });
  const hunk = {
    path: text,
    header: text,
    lines: [{ kind: 'added' as const, text, line: 1, crashed: true }],
  };
  const suspect = makeSuspect({
    title: text,
    author: { name: text },
    committed_at: text,
    url: text,
    hunk,
    pull_request: { number: 3, url: text, title: text },
    reasons: [reason({ code: 'last_changed_line', path: text, line: 1, role: 'crashed' })],
  });
  const cites = [{ evidence: text, quote: text }];
  return makeRun('published', {
    title: text,
    project: text,
    platform: text,
    releases: [text],
    environments: [text],
    place: { function: text, file: text, line: 1 },
    event,
    suspects: [suspect, suspect],
    explanation: { source: 'model', model: text, claims: [{ text, cites }], insufficient: false, note: text },
    draft: makeDraft({ edited_by: text }),
    regression_of: text,
    merged_into: text,
    last_error: { code: text, detail: text, retryable: false },
  });
}

function hostileEvidence(text: string, run: Run): EvidenceBundle {
  const error = { code: text, detail: text, retryable: false };
  return {
    format: 'culprit.evidence/1',
    run_id: text,
    project: text,
    generation: 1,
    cycle: 1,
    analyzed_at: text,
    versions: { [text]: text },
    config: { [text]: text },
    incident: run,
    event: run.event,
    calls: [
      { port: 'code_host', method: text, request: { [text]: text }, answer: text, error: null },
      { port: 'explainer', method: text, request: text, answer: null, error },
    ],
    draft: makeDraft(),
  };
}
