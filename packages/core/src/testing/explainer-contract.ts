import assert from 'node:assert/strict';
import type { EvidenceItem } from '../domain/explanation.js';
import { isCulpritError } from '../errors/error.js';
import { checkExplanation } from '../pipeline/explain/check-explanation.js';
import { segmentsOf } from '../pipeline/explain/phrases.js';
import { reason } from '../pipeline/rank/reason-wording.js';
import type { Explainer, ExplainRequest } from '../ports/explainer.js';
import { type ContractCase, onSubject } from './contract-case.js';
import { makeSuspect } from './make-run.js';

/** An explainer that works. */
export interface ExplainerSubject {
  readonly explainer: Explainer;
  close?(): Promise<void>;
}

const SHA = '0123456789abcdef0123456789abcdef01234567';

/** A request as the engine makes it, with evidence of every kind. */
export function makeExplainRequest(overrides: Partial<ExplainRequest> = {}): ExplainRequest {
  return {
    title: "TypeError: Cannot read properties of undefined (reading 'amount')",
    platform: 'node',
    occurrences: 3,
    suspects: [
      makeSuspect({
        sha: SHA,
        url: null,
        reasons: [
          reason({ code: 'last_changed_line', path: 'src/cart.js', line: 11, role: 'crashed' }),
          reason({ code: 'age', days: 25 }),
        ],
        frames: [2],
        hunk: {
          path: 'lib/cart.js',
          header: '@@ -8,1 +8,1 @@',
          lines: [
            { kind: 'removed', text: '    sum += item.amount', line: null, crashed: false },
            { kind: 'added', text: '    sum += item.price.amount', line: 8, crashed: true },
          ],
        },
      }),
    ],
    evidence: makeEvidence(),
    ...overrides,
  };
}

function makeEvidence(): readonly EvidenceItem[] {
  return [
    { id: 'run', label: 'The incident', text: 'seen 3 times, first 2026-01-05T09:00:00.000Z\nplatform node' },
    {
      id: 'exception:0',
      label: 'Exception',
      text: "TypeError: Cannot read properties of undefined (reading 'amount')",
    },
    {
      id: 'frame:2',
      label: 'Frame',
      text: 'src/cart.js:11 in total\nsum += item.price.amount;',
      location: { place: 'src/cart.js:11', line: 11, function: 'total' },
    },
    { id: `commit:${SHA}`, label: 'Commit', text: 'Price items in several currencies\nChidi, 2025-12-10' },
    {
      id: `hunk:${SHA}`,
      label: 'Diff',
      text: 'lib/cart.js\n@@ -8,1 +8,1 @@\n-    sum += item.amount\n+    sum += item.price.amount',
    },
  ];
}

/** The rules of the `Explainer` port. */
export const explainerContract: readonly ContractCase<ExplainerSubject>[] = [
  law('its explanation passes the check: every claim cited verbatim', async ({ explainer }) => {
    const request = makeExplainRequest();
    const explanation = await explainer.explain(request, new AbortController().signal);
    assert.deepEqual(checkExplanation(explanation, request.evidence), explanation);
    assert.equal(explanation.insufficient, explanation.claims.length === 0);
    assert.equal(explanation.model === null, explanation.source === 'template');
    if (explanation.source === 'template') {
      for (const { text } of explanation.claims) assert.ok(segmentsOf(text), `made of PHRASES: ${text}`);
    }
  }),
  law('it does not modify the request', async ({ explainer }) => {
    const request = makeExplainRequest();
    const before = structuredClone(request);
    await explainer.explain(request, new AbortController().signal).catch(onlyFailed);
    assert.deepEqual(request, before);
  }),
  law('without evidence it claims nothing: insufficient, or explainer_failed', async ({ explainer }) => {
    const request = makeExplainRequest({ suspects: [], evidence: [] });
    const explanation = await explainer.explain(request, new AbortController().signal).catch(onlyFailed);
    if (explanation) {
      try {
        assert.deepEqual(checkExplanation(explanation, []).claims, []);
      } catch (error) {
        onlyFailed(error);
      }
    }
  }),
  law('what it says about its model is consistent, and asks nothing of it', async ({ explainer }) => {
    const status = explainer.status?.();
    if (status === undefined) return;
    assert.equal(status.explainer, explainer.name);
    assert.equal(status.reason !== null, status.state === 'unreachable' || status.state === 'unusable');
    if (status.state === 'usable') assert.notEqual(status.probed_at, null);
    if (status.probed_at === null) assert.deepEqual(status.limits, []);
  }),
  law('its name is short and printable', async ({ explainer }) => {
    assert.match(explainer.name, /^[\w .:/-]{1,80}$/);
  }),
];

function onlyFailed(error: unknown): null {
  assert.ok(isCulpritError(error, 'explainer_failed'), `rejects only with explainer_failed: ${error}`);
  return null;
}

function law(
  name: string,
  check: (subject: ExplainerSubject) => Promise<void>,
): ContractCase<ExplainerSubject> {
  return onSubject(`explainer: ${name}`, check);
}
