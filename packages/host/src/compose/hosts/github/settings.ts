import { secret } from '../../../config/credentials.js';
import { setting } from '../../../config/setting.js';
import { url } from '../../../config/types.js';

export const githubSettings = {
  githubToken: setting({
    env: 'GITHUB_TOKEN',
    type: secret('token'),
    secret: true,
    meaning:
      'Fine-grained token for repositories on GitHub. Needs Contents: read, Metadata: read and, without GITHUB_PUBLISH_TOKEN, Issues: write.',
  }),
  githubPublishToken: setting({
    env: 'GITHUB_PUBLISH_TOKEN',
    type: secret('token'),
    otherwise: 'GITHUB_TOKEN',
    secret: true,
    meaning: 'A second token, only for issues and labels: Issues: write and Metadata: read.',
  }),
  githubApiUrl: setting({
    env: 'GITHUB_API_URL',
    type: url,
    otherwise: 'https://api.github.com',
    meaning: 'Base URL of GitHub Enterprise Server: https://HOST/api/v3.',
  }),
};
