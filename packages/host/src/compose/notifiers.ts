import { slackSettings } from '@culprit/connectors/settings';
import { type SlackInteractions, slack, slackInteractions } from '@culprit/connectors/slack';
import { webhook } from '@culprit/connectors/webhook';
import type { Connector, Logger } from '@culprit/core';
import type { Config } from '../config/config.js';
import { optionsOf } from '../config/own-settings.js';
import { demandPrivate, refused } from './refused.js';

/** Chat and webhook. Throws `configuration` if one is only partly configured, so that nothing is skipped silently. */
export function composeNotifiers(config: Config): (boardUrl: string) => readonly Connector[] {
  const chat = slackOptions(config);
  const target = webhookTarget(config);
  return (boardUrl) => [
    ...(chat === null ? [] : [slack({ ...chat, boardUrl, buttons: config.slackSigningSecret !== null })]),
    ...(target === null ? [] : [webhook({ ...target, boardUrl })]),
  ];
}

/** Handles buttons pressed in Slack; `null` if it is not configured, which closes the endpoint. */
export function composeChat(config: Config, logger: Logger): SlackInteractions | null {
  const chat = slackOptions(config);
  const { slackSigningSecret: signingSecret, slackReviewers: reviewers } = config;
  if (chat === null || signingSecret === null) return null;
  const { channel: _, ...access } = chat;
  return slackInteractions(
    { ...access, signingSecret: signingSecret.reveal(), reviewers: { ...reviewers } },
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

function slackOptions(config: Config) {
  const { slackBotToken: botToken, slackChannel: channel, slackApiUrl: url } = config;
  if (botToken === null) {
    if (config.slackSigningSecret === null) return null;
    throw refused(
      'slackBotToken',
      'SLACK_SIGNING_SECRET is set without SLACK_BOT_TOKEN. Set both or neither.',
    );
  }
  if (channel === null)
    throw refused('slackChannel', 'SLACK_BOT_TOKEN needs SLACK_CHANNEL, the id of a channel.');
  if (url !== null) demandPrivate(config, 'slackApiUrl', url, 'because the token is sent there');
  const { signingSecret: _, ...options } = optionsOf(slackSettings, config);
  return { ...options, channel, botToken: botToken.reveal() };
}

function webhookTarget(config: Config) {
  const { notifyWebhookUrl: url, notifyWebhookSecret: secrets, allowPlaintext } = config;
  if (url === null) return null;
  if (secrets.length === 0)
    throw refused(
      'notifyWebhookSecret',
      'NOTIFY_WEBHOOK_URL needs NOTIFY_WEBHOOK_SECRET, which signs requests.',
    );
  demandPrivate(config, 'notifyWebhookUrl', url.reveal(), 'because titles of runs are sent there');
  return { url: url.reveal(), secrets: secrets.map((secret) => secret.reveal()), allowPlaintext };
}
