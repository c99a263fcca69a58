import { type SlackInteractions, slack, slackInteractions } from '@culprit/connectors/slack';
import { webhook } from '@culprit/connectors/webhook';
import { type Connector, CulpritError, type Logger } from '@culprit/core';
import { type Config, isLoopback } from '../config/config.js';

/** Who is told about runs. Throws `configuration` for what is half configured: nothing is left out in silence. */
export function composeNotifiers(config: Config): (publicUrl: string) => readonly Connector[] {
  const chat = slackAccess(config);
  const target = webhookTarget(config);
  return (publicUrl) => [
    ...(chat === null
      ? []
      : [
          slack({
            ...chat.access,
            channel: chat.channel,
            boardUrl: publicUrl,
            buttons: config.slack.signingSecret !== null,
          }),
        ]),
    ...(target === null ? [] : [webhook({ ...target, boardUrl: publicUrl })]),
  ];
}

/** What takes buttons pressed in Slack; `null` where it is not configured, and then that door is closed. */
export function composeChat(config: Config, logger: Logger): SlackInteractions | null {
  const chat = slackAccess(config);
  const { signingSecret, reviewers } = config.slack;
  if (chat === null || signingSecret === null) return null;
  return slackInteractions(
    { ...chat.access, signingSecret: signingSecret.reveal(), reviewers: { ...reviewers } },
    { logger },
  );
}

/** For the banner and `doctor`. */
export function chatInWords({ slack: { botToken, channel, signingSecret, reviewers } }: Config): string {
  if (botToken === null) return 'off: SLACK_BOT_TOKEN and SLACK_CHANNEL turn it on';
  if (signingSecret === null)
    return `Slack ${channel ?? ''}, without buttons: SLACK_SIGNING_SECRET gives them`;
  const people = Object.keys(reviewers).length;
  if (people === 0) return `Slack ${channel ?? ''}; nobody may decide there: set SLACK_REVIEWERS`;
  return `Slack ${channel ?? ''}, ${people === 1 ? 'one reviewer' : `${people} reviewers`}`;
}

function slackAccess(config: Config) {
  const { botToken, channel, signingSecret, apiUrl } = config.slack;
  if (botToken === null) {
    if (signingSecret !== null)
      throw refusal(
        'slackBotToken',
        'SLACK_SIGNING_SECRET is set without SLACK_BOT_TOKEN; set both or neither',
      );
    return null;
  }
  if (channel === null)
    throw refusal('slackChannel', 'SLACK_BOT_TOKEN needs SLACK_CHANNEL, the id of the channel to tell');
  if (apiUrl !== null && isReadable(apiUrl, config))
    throw refusal('slackApiUrl', `SLACK_API_URL ${MUST_BE_HTTPS} because the token is sent there${OVERRIDE}`);
  const access = { botToken: botToken.reveal(), ...(apiUrl === null ? {} : { apiUrl: `${apiUrl}/` }) };
  return { access, channel };
}

function webhookTarget(config: Config) {
  const { url, secrets } = config.notifyWebhook;
  if (url === null) return null;
  if (secrets.length === 0)
    throw refusal(
      'notifyWebhookSecret',
      'NOTIFY_WEBHOOK_URL needs NOTIFY_WEBHOOK_SECRET, the key that signs',
    );
  if (isReadable(url.reveal(), config))
    throw refusal(
      'notifyWebhookUrl',
      `NOTIFY_WEBHOOK_URL ${MUST_BE_HTTPS} because titles are sent there${OVERRIDE}`,
    );
  return {
    url: url.reveal(),
    secrets: secrets.map((secret) => secret.reveal()),
    allowPlaintext: config.allowPlaintext,
  };
}

const MUST_BE_HTTPS = 'must begin with https://';
const OVERRIDE = '; ALLOW_PLAINTEXT=1 overrides this';

function isReadable(url: string, { allowPlaintext }: Config): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname) && !allowPlaintext;
}

function refusal(path: string, problem: string): CulpritError {
  return new CulpritError('configuration', `${problem}.`, { path });
}
