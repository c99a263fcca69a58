export { forgejoSettings } from './forgejo/config.js';
export { githubSettings } from './github/config.js';
export { gitlabSettings } from './gitlab/config.js';
export { ollamaSettings } from './ollama/config.js';
export { openaiSettings } from './openai/config.js';
export { type OwnSetting, serverUrl } from './shared/own-settings.js';
export { slackSettings } from './slack/config.js';
