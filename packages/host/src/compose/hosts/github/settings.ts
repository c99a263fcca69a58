import { secret, secrets } from '../../../config/credentials.js';
import { setting } from '../../../config/setting.js';
import { text, url } from '../../../config/types.js';
import { privateKey } from './private-key.js';

export const githubSettings = {
  githubToken: setting({
    env: 'GITHUB_TOKEN',
    type: secret('token'),
    secret: true,
    meaning:
      'Fine-grained token for repositories on GitHub, or GITHUB_APP_ID. Needs Contents: read, Metadata: read and, without GITHUB_PUBLISH_TOKEN, Issues: write.',
  }),
  githubPublishToken: setting({
    env: 'GITHUB_PUBLISH_TOKEN',
    type: secret('token'),
    otherwise: 'GITHUB_TOKEN',
    secret: true,
    meaning: 'A second token, only for issues and labels: Issues: write and Metadata: read.',
  }),
  githubAgentToken: setting({
    env: 'GITHUB_AGENT_TOKEN',
    type: secret('token'),
    otherwise: 'runs cannot be handed to GitHub’s coding agent',
    secret: true,
    meaning:
      'A user’s token that assigns Copilot’s coding agent to published issues. Needs Actions, Contents, Issues and Pull requests: write.',
  }),
  githubAppId: setting({
    env: 'GITHUB_APP_ID',
    type: text(
      'id or client id',
      /^(\d{1,12}|Iv[\w.]{4,60})$/,
      'must be the id or client id of a GitHub App',
    ),
    meaning:
      'A GitHub App, instead of GITHUB_TOKEN. It must be installed on every repository that Culprit uses.',
  }),
  githubAppKey: setting({
    env: 'GITHUB_APP_KEY',
    type: privateKey,
    secret: true,
    meaning: 'The private key of GITHUB_APP_ID: the path of its .pem file, or the text of that file.',
  }),
  githubIssueType: setting({
    env: 'GITHUB_ISSUE_TYPE',
    type: text('name', /^[^\p{Cc}]{1,100}$/u, 'must be the name of an issue type, at most 100 characters'),
    meaning: 'Issue type of new issues, such as Bug, in organisations on GitHub that have issue types.',
  }),
  githubWebhookSecret: setting({
    env: 'GITHUB_WEBHOOK_SECRET',
    type: secrets('secret[,secret]'),
    default: '',
    secret: true,
    otherwise: 'POST /webhook/github of core is closed',
    meaning:
      'Secret of the webhook by which GitHub reports changes of issues to core. Two while it is being rotated. Without it, an issue is read when its crash recurs.',
  }),
  githubApiUrl: setting({
    env: 'GITHUB_API_URL',
    type: url,
    otherwise: 'https://api.github.com',
    meaning: 'Base URL of GitHub Enterprise Server: https://HOST/api/v3.',
  }),
};
