import type { SlackInteractions } from '@culprit/connectors/slack';
import type { Engine } from '@culprit/core';
import { unauthenticated } from '../authenticate.js';
import type { CoreRoute } from '../route.js';

/** Slack sends the whole message back with a button. */
const LIMIT = 1024 * 1024;

export interface ChatRouteParts {
  readonly engine: () => Promise<Engine>;
  /** `null`: the door is closed. */
  readonly chat: SlackInteractions | null;
}

/** Buttons pressed in chat. Its own signature stands in the place of a reviewer's token. */
export function chatRoutes({ engine, chat }: ChatRouteParts): CoreRoute[] {
  return [
    {
      method: 'POST',
      pattern: '/chat/slack/interactive',
      access: 'open',
      bodyLimit: LIMIT,
      doc: {
        summary: 'Slack’s interactive requests, signed by Slack (v0); answered before the work is done',
        headers: {
          'X-Slack-Signature': '`v0=` and HMAC-SHA256 of `v0:timestamp:body` with SLACK_SIGNING_SECRET',
          'X-Slack-Request-Timestamp': 'Seconds since 1970; at most 5 minutes away',
        },
        answers: { 200: { what: 'Taken; what became of it is told in Slack', type: 'application/json' } },
        problems: ['malformed', 'unauthenticated', 'storage_unavailable'],
      },
      async handle({ headers, body, receivedAt }) {
        if (chat === null) {
          throw unauthenticated('Chat is closed: set SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET.');
        }
        const answer = await chat.receive(await engine(), { headers, body, receivedAt });
        const type = { 'content-type': 'application/json' };
        return { status: answer.status, ...(answer.body === '' ? {} : { headers: type, body: answer.body }) };
      },
    },
  ];
}
