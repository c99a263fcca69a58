import type { SlackInteractions } from '@culprit/connectors/slack';
import type { Engine } from '@culprit/core';
import { unauthenticated } from '../authenticate.js';
import type { CoreRoute } from '../route.js';

/**
 * Slack includes the whole message in the request. Ours has eight sections of at most 3,000 characters, of which each
 * takes up to nine bytes in a form.
 */
const LIMIT = 256 * 1024;

export interface ChatRouteParts {
  readonly engine: () => Promise<Engine>;
  /** `null` if chat is disabled. */
  readonly chat: SlackInteractions | null;
}

/** Buttons pressed in chat, authenticated by Slack's signature. */
export function chatRoutes({ engine, chat }: ChatRouteParts): CoreRoute[] {
  return [
    {
      method: 'POST',
      pattern: '/chat/slack/interactive',
      access: 'open',
      ...(chat === null ? {} : { bodyLimit: LIMIT }),
      admit() {
        if (chat === null) throw disabled();
      },
      doc: {
        id: 'receiveSlackInteraction',
        summary:
          'Receive interactive requests of Slack, signed by Slack (v0); responds before the action is complete',
        headers: {
          'X-Slack-Signature': '`v0=` and HMAC-SHA256 of `v0:timestamp:body` with SLACK_SIGNING_SECRET',
          'X-Slack-Request-Timestamp': 'Seconds since 1970; at most 5 minutes off',
        },
        answers: { 200: { what: 'Accepted; the result is posted in Slack', type: 'application/json' } },
        problems: ['malformed', 'unauthenticated', 'storage_unavailable'],
      },
      async handle({ headers, body, receivedAt }) {
        if (chat === null) throw disabled();
        const answer = await chat.receive(await engine(), { headers, body, receivedAt });
        const type = { 'content-type': 'application/json' };
        return { status: answer.status, ...(answer.body === '' ? {} : { headers: type, body: answer.body }) };
      },
    },
  ];
}

const disabled = () => unauthenticated('Chat is disabled. Set SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET.');
