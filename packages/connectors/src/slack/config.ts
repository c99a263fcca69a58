import { secret } from '@culprit/core';
import * as v from 'valibot';

const url = v.pipe(v.string(), v.regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/, 'must be an http(s) URL'));

/** What both halves need: the messages and the buttons under them. */
export const slackAccess = {
  /** `xoxb-…`, with the scope `chat:write`. */
  botToken: secret(),
  /** Another Slack endpoint: GovSlack, a proxy, a double. */
  apiUrl: v.optional(url, 'https://slack.com/api/'),
};

export const slackConfig = v.strictObject({
  ...slackAccess,
  /** Id of the channel, such as `C0123456789`; the app must be a member. */
  channel: v.pipe(v.string(), v.regex(/^[^\s<>]{1,80}$/, 'must be a channel id')),
  /** Where the board is reached; absent: messages carry no link to it. */
  boardUrl: v.optional(url),
  /** True: Approve and Reject stand under runs that wait. Needs {@link slackInteractions} on the app's Request URL. */
  buttons: v.optional(v.boolean(), false),
});
export type SlackConfig = v.InferOutput<typeof slackConfig>;

export const interactionsConfig = v.strictObject({
  ...slackAccess,
  /** Of the app's Basic Information. An empty one refuses everything. */
  signingSecret: v.string(),
  /** Slack's user ids and the names that the history shows. Who is not here decides nothing. */
  reviewers: v.record(v.pipe(v.string(), v.regex(/^[UW][A-Z0-9]{1,30}$/)), v.pipe(v.string(), v.nonEmpty())),
});
export type InteractionsConfig = v.InferOutput<typeof interactionsConfig>;
