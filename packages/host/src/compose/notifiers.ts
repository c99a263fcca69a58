import { type SlackInteractions, slack, slackInteractions } from '@culprit/connectors/slack';
import { webhook } from '@culprit/connectors/webhook';
import { type Connector, CulpritError, type Logger } from '@culprit/core';
import type { Config } from '../config/config.js';
import { isReadable } from '../config/network.js';
import { SETTINGS, type SettingKey } from '../config/settings.js';

/** Chat and webhook. Throws `configuration` if one is only partly configured, so that nothing is skipped silently. */
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
            buttons: config.slackSigningSecret !== null,
          }),
        ]),
    ...(target === null ? [] : [webhook({ ...target, boardUrl: publicUrl })]),
  ];
}

/** Handles buttons pressed in Slack; `null` if it is not configured, which closes the endpoint. */
export function composeChat(config: Config, logger: Logger): SlackInteractions | null {
  const chat = slackAccess(config);
  const { slackSigningSecret: signingSecret, slackReviewers: reviewers } = config;
  if (chat === null || signingSecret === null) return null;
  return slackInteractions(
    { ...chat.access, signingSecret: signingSecret.reveal(), reviewers: { ...reviewers } },
    { logger },
  );
}

/** One line for the banner and `doctor`. */
export function describeChat({
  slackBotToken: botToken,
  slackChannel,
  slackSigningSecret,
  slackReviewers,
}: Config): string {
  if (botToken === null) return 'off. Set SLACK_BOT_TOKEN and SLACK_CHANNEL to turn it on.';
  const channel = `Slack ${slackChannel ?? ''}`;
  if (slackSigningSecret === null)
    return `${channel}, without buttons. Set SLACK_SIGNING_SECRET to add them.`;
  const entries = Object.values(slackReviewers);
  const people = entries.length;
  const limited = entries.filter((entry) => typeof entry !== 'string').length;
  if (people === 0) return `${channel}, without reviewers. Set SLACK_REVIEWERS to allow decisions in Slack.`;
  const some = limited === 0 ? '' : ` (${limited} for some projects only)`;
  return `${channel}, ${people === 1 ? 'one reviewer' : `${people} reviewers`}${some}`;
}

function slackAccess(config: Config) {
  const { slackBotToken: botToken, slackChannel: channel, slackApiUrl: apiUrl } = config;
  if (botToken === null) {
    if (config.slackSigningSecret === null) return null;
    throw refusal(
      'slackBotToken',
      'SLACK_SIGNING_SECRET is set without SLACK_BOT_TOKEN. Set both or neither',
    );
  }
  if (channel === null)
    throw refusal('slackChannel', 'SLACK_BOT_TOKEN needs SLACK_CHANNEL, the id of a channel');
  if (apiUrl !== null) refuseReadable(config, 'slackApiUrl', apiUrl, 'the token is sent there');
  const access = { botToken: botToken.reveal(), ...(apiUrl === null ? {} : { apiUrl: `${apiUrl}/` }) };
  return { access, channel };
}

function webhookTarget(config: Config) {
  const { notifyWebhookUrl: url, notifyWebhookSecret: secrets, allowPlaintext } = config;
  if (url === null) return null;
  if (secrets.length === 0)
    throw refusal(
      'notifyWebhookSecret',
      'NOTIFY_WEBHOOK_URL needs NOTIFY_WEBHOOK_SECRET, which signs requests',
    );
  refuseReadable(config, 'notifyWebhookUrl', url.reveal(), 'titles of runs are sent there');
  return { url: url.reveal(), secrets: secrets.map((secret) => secret.reveal()), allowPlaintext };
}

function refuseReadable({ allowPlaintext }: Config, key: SettingKey, url: string, why: string): void {
  if (allowPlaintext || !isReadable(url)) return;
  throw refusal(
    key,
    `${SETTINGS[key].env} must start with https:// because ${why}; ALLOW_PLAINTEXT=1 overrides this`,
  );
}

function refusal(path: SettingKey, problem: string): CulpritError {
  return new CulpritError('configuration', `${problem}.`, { path });
}
