export { BOT_TOKEN, CHANNEL, SIGNING_SECRET } from './credentials.js';
export type { Interaction } from './interactions.js';
export { type SlackDouble, slackDouble } from './slack-double.js';
export { wrongBlocks } from './wrong-blocks.js';
