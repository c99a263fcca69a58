import { secret } from '@culprit/core/connector';
import * as v from 'valibot';
import { ownSettings, serverUrl } from '../shared/own-settings.js';

/** Options of both the notifier and the interactions. */
const slackAccess = {
  /** `xoxb-…`, with the scope `chat:write`. */
  botToken: secret(),
  /** Another Slack endpoint, such as GovSlack, a proxy or a test double. */
  apiUrl: v.optional(
    v.pipe(
      serverUrl,
      v.transform((url) => `${url}/`),
    ),
    'https://slack.com/api/',
  ),
};

export const slackConfig = v.strictObject({
  ...slackAccess,
  /** Channel id, such as `C0123456789`. The app must be a member. */
  channel: v.pipe(
    v.string(),
    v.regex(/^[^\s<>,]{1,80}$/, 'must be the id of one channel, such as C0123456789'),
  ),
  /** The board's address; absent: messages do not link to it. */
  boardUrl: v.optional(serverUrl),
  /** True: waiting runs have Approve and Reject buttons. Requires {@link slackInteractions} at the app's Request URL. */
  buttons: v.optional(v.boolean(), false),
});

const name = v.pipe(v.string(), v.nonEmpty());

export const interactionsConfig = v.strictObject({
  ...slackAccess,
  /** Signing secret from the app's Basic Information. An empty one rejects every request. */
  signingSecret: v.string(),
  /**
   * Slack user ids and the names shown in the history; with `projects` the reviewer decides about runs of these alone. Other
   * users cannot decide.
   */
  reviewers: v.record(
    v.pipe(v.string(), v.regex(/^[UW][A-Z0-9]{1,30}$/)),
    v.union([name, v.strictObject({ name, projects: v.pipe(v.array(name), v.minLength(1)) })]),
  ),
});
export type InteractionsConfig = v.InferOutput<typeof interactionsConfig>;

/** The members that an operator sets. */
export const slackSettings = ownSettings(
  { ...slackConfig.entries, signingSecret: interactionsConfig.entries.signingSecret },
  {
    slackBotToken: {
      of: 'botToken',
      secret: true,
      format: 'token',
      otherwise: 'none: chat off',
      meaning: 'Bot token of the Slack app.',
    },
    slackChannel: {
      of: 'channel',
      format: 'channel id',
      meaning: 'Where runs are announced. The app must be a member.',
    },
    slackSigningSecret: {
      of: 'signingSecret',
      secret: true,
      format: 'secret',
      meaning: 'Verifies that a button was pressed in Slack. Without it messages have no buttons.',
    },
    slackApiUrl: {
      of: 'apiUrl',
      format: 'URL',
      otherwise: 'https://slack.com/api/',
      meaning: 'Another Slack endpoint.',
    },
  },
);
