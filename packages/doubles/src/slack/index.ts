export { BOT_TOKEN, CHANNEL, SIGNING_SECRET } from './credentials.js';
export type { Interaction, OpenedForm, PressOptions } from './interactions.js';
export { type SlackDouble, type SlackFailure, slackDouble } from './slack-double.js';
export type { AppKind, StoredMessage, Whisper } from './workspace.js';
export { wrongBlocks, wrongModal } from './wrong-blocks.js';
