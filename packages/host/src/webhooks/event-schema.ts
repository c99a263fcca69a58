import { DOORS, LEVELS } from '@culprit/core/internal/domain/event';
import { RUN_STATES } from '@culprit/core/internal/domain/run';
import { TRUSTS } from '@culprit/core/internal/domain/trust';
import * as v from 'valibot';
import { exampleOf } from './event-examples.js';
import { EVENT_NAMES, EVENT_TYPES, type EventType, TEST_EVENT, TEST_MEANING } from './event-types.js';

const text = v.nullable(v.string());
const about = <const Schema extends v.GenericSchema>(schema: Schema, description: string) =>
  v.pipe(schema, v.description(description));

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
      error: v.nullable(v.object({ code: v.string(), detail: v.string(), retryable: v.boolean() })),
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
