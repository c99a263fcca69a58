import type { RunState } from '@culprit/core';
import { DOORS, LEVELS } from '@culprit/core/internal/domain/event';
import { RUN_STATES } from '@culprit/core/internal/domain/run';
import { errorSchema } from '@culprit/core/internal/domain/run-error';
import { about, text } from '@culprit/core/internal/domain/schema';
import { TRUSTS } from '@culprit/core/internal/domain/trust';
import {
  EVENT_NAMES,
  EVENT_TYPES,
  type EventType,
  TEST_EVENT,
  TEST_MEANING,
} from '@culprit/core/internal/domain/webhook-events';
import * as v from 'valibot';

/** What every event about a run has in `data`. New members may be added. */
const runData = v.object({
  run_id: v.string(),
  project: v.string(),
  state: about(v.picklist(RUN_STATES), 'When the message was made; `change.to` is the state of this event.'),
  gate: about(v.nullable(v.picklist([1, 2])), 'The gate at which the run waits.'),
  cycle: v.number(),
  version: v.number(),
  title: about(v.string(), 'Harmless text: no mentions, references, links or markup.'),
  level: v.picklist(LEVELS),
  platform: v.string(),
  occurrences: v.number(),
  first_seen: v.string(),
  last_seen: v.string(),
  trust: v.string(),
  sources: v.array(v.object({ door: v.picklist(DOORS), trust: v.picklist(TRUSTS), occurrences: v.number() })),
  release: text,
  environment: text,
  suspects: v.array(
    v.object({
      sha: v.string(),
      title: v.string(),
      verdict: v.string(),
      probability: v.nullable(v.number()),
    }),
  ),
  owners: v.array(v.object({ name: v.string(), line: v.number() })),
  digest: about(text, 'Of the draft.'),
  issue_url: text,
  regression_of: text,
  resolved_as: text,
  came_back_as: text,
  returned_reason: text,
  snoozed_until: v.unknown(),
  error: about(text, 'Code of the last failure.'),
  url: about(text, 'The run on the board.'),
  change: about(
    v.object({
      sequence: v.number(),
      name: v.string(),
      by: about(text, 'The reviewer; `null`: a step of the engine.'),
      from: v.nullable(v.picklist(RUN_STATES)),
      to: v.nullable(v.picklist(RUN_STATES)),
      error: errorSchema,
    }),
    'The history entry that made the event.',
  ),
});

const comment = about(v.string(), 'The reviewer’s comment, sanitised.');
const handOff = v.object({
  digest: about(v.string(), 'Of the signed draft.'),
  issue_url: v.string(),
  brief: about(
    v.string(),
    'The fix brief, Markdown. Text from outside is only in code spans and code blocks.',
  ),
});

function dataOf(type: EventType): v.GenericSchema {
  if (type === 'run.commented') return v.object({ ...runData.entries, comment });
  if (type === 'run.handed_off') return v.object({ ...runData.entries, hand_off: handOff });
  return runData;
}

/** The body of a message. */
export function messageSchema(type: EventType | typeof TEST_EVENT): v.GenericSchema {
  const data = type === TEST_EVENT ? v.object({ webhook_id: v.string(), by: v.string() }) : dataOf(type);
  const timestamp = about(v.pipe(v.string(), v.isoTimestamp()), 'When it happened.');
  return v.object({ type: v.literal(type), timestamp, data });
}

const HEADERS = {
  'webhook-id': 'The same for every attempt: ignore an id that you have handled',
  'webhook-timestamp':
    'Of this attempt, in seconds since 1970: refuse it if it is more than five minutes off',
  'webhook-signature': '`v1,<base64>`, several separated by spaces: HMAC-SHA256 of `id.timestamp.body`',
};

/** `webhooks` of OpenAPI 3.1: the requests that receivers get. */
export function webhookDescriptions(toSchema: (schema: v.GenericSchema) => object): object {
  const parameters = Object.entries(HEADERS).map(([name, description]) => {
    return { name, in: 'header', required: true, description, schema: { type: 'string' } };
  });
  const described = (type: EventType | typeof TEST_EVENT, summary: string) => ({
    post: {
      summary,
      operationId: `webhook_${type.replaceAll('.', '_')}`,
      parameters,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: toSchema(messageSchema(type)), example: exampleOf(type) } },
      },
      responses: {
        '2XX': { description: 'Received' },
        410: { description: 'Turns the webhook off' },
        default: { description: 'Anything else is retried for a day' },
      },
    },
  });
  const events = EVENT_NAMES.map((type) => [type, described(type, EVENT_TYPES[type])]);
  return Object.fromEntries([...events, [TEST_EVENT, described(TEST_EVENT, TEST_MEANING)]]);
}

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
function exampleOf(type: EventType | typeof TEST_EVENT): object {
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
