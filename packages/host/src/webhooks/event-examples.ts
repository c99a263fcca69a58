import type { RunState } from '@culprit/core';
import { type EventType, TEST_EVENT } from './event-types.js';

type Change = readonly [
  name: string,
  sequence: number,
  by: string | null,
  from: RunState | null,
  to: RunState | null,
];

/** The history entry of each event, in the life of one run. */
const CHANGES: Readonly<Record<EventType, Change>> = {
  'run.created': ['staged', 1, null, null, 'staged_raw'],
  'run.regressed': ['staged', 1, null, null, 'staged_raw'],
  'run.state_changed': ['gate1.approve', 2, 'mara', 'staged_raw', 'analyzing'],
  'run.draft_ready': ['analysis.done', 11, null, 'analyzing', 'staged_draft'],
  'run.analysis_failed': ['analysis.failed', 3, null, 'analyzing', 'staged_raw'],
  'run.returned': ['gate2.return', 12, 'mara', 'staged_draft', 'staged_raw'],
  'run.rejected': ['gate1.reject', 2, 'mara', 'staged_raw', 'rejected'],
  'run.commented': ['comment', 16, 'mara', null, null],
  'run.fixed': ['resolve', 17, 'mara', null, null],
  'run.unfixed': ['resolve.undo', 18, 'mara', null, null],
  'run.handed_off': ['hand_off.webhook', 15, 'mara', null, null],
  'issue.published': ['publish.created', 14, null, 'publishing', 'published'],
  'issue.publish_failed': ['publish.refused', 14, null, 'publishing', 'staged_draft'],
};
const GATES: Partial<Record<RunState, 1 | 2>> = { staged_raw: 1, staged_draft: 2 };
/** Codes of failures. */
const ERRORS: Partial<Record<EventType, { readonly code: string; readonly detail: string }>> = {
  'run.analysis_failed': { code: 'code_host_unavailable', detail: 'The code host did not answer.' },
  'issue.publish_failed': { code: 'publish_refused', detail: 'GitHub does not accept issues here.' },
};
const RUN = 'run_01m84k6epdzecbdbdh7razd55m';
const EARLIER = 'run_01m7yq2n6cgd5hm1fvw3t8kz9r';
const DIGEST = 'f65001252ab3427979ef1089436fe43cf23cde111f209bc182db6d5b2250c72c';
const ISSUE = 'https://github.com/acme/shop/issues/7';
const TIMESTAMP = '2026-11-23T16:19:38.214Z';

/** A message as core sends it. */
export function exampleOf(type: EventType | typeof TEST_EVENT): object {
  if (type === TEST_EVENT)
    return { type, timestamp: TIMESTAMP, data: { webhook_id: 'wh_EJiW6T3uxc7dYmFm', by: 'mara' } };
  const [name, sequence, by, from, to] = CHANGES[type];
  const state = to ?? 'published';
  const known = ERRORS[type];
  const error = known === undefined ? null : { ...known, retryable: false };
  const analysed = sequence > 10;
  const data = {
    run_id: RUN,
    project: 'shop',
    state,
    gate: GATES[state] ?? null,
    cycle: 1,
    version: sequence,
    title: "TypeError: Cannot read properties of undefined (reading 'rate')",
    level: 'error',
    platform: 'node',
    occurrences: 3,
    first_seen: '2026-11-23T16:18:02.033Z',
    last_seen: '2026-11-23T16:19:01.870Z',
    trust: 'trusted',
    sources: [{ door: 'native', trust: 'trusted', occurrences: 3 }],
    release: 'shop@2.4.1',
    environment: 'production',
    suspects: analysed
      ? [
          {
            sha: 'a2bb66b4a344ca257d99eae1b9bba6b56c1f8ba6',
            title: 'feat: discounts',
            verdict: 'auto',
            probability: 0.93,
          },
        ]
      : [],
    owners: analysed ? [{ name: 'acme/checkout', line: 12 }] : [],
    digest: analysed ? DIGEST : null,
    issue_url: state === 'published' ? ISSUE : null,
    regression_of: type === 'run.regressed' ? EARLIER : null,
    resolved_as: null,
    came_back_as: null,
    returned_reason: type === 'run.returned' ? 'Name the release.' : null,
    snoozed_until: null,
    error: error?.code ?? null,
    url: `https://culprit.example/#${RUN}`,
    change: { sequence, name, by, from, to, error },
    ...(type === 'run.commented' ? { comment: 'Seen after 2.4.1.' } : {}),
    ...(type === 'run.handed_off'
      ? { hand_off: { digest: DIGEST, issue_url: ISSUE, brief: '## Fix brief: `TypeError: …`\n\n…' } }
      : {}),
  };
  return { type, timestamp: TIMESTAMP, data };
}
