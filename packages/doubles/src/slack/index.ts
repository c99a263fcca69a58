export type { Interaction } from './interactions.js';
export { type SlackDouble, slackDouble } from './slack-double.js';
export { BOT_TOKEN, CHANNEL, SIGNING_SECRET } from './workspace.js';
export { wrongBlocks } from './wrong-blocks.js';
