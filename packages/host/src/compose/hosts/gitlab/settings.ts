import { secret, secrets } from '../../../config/credentials.js';
import { setting } from '../../../config/setting.js';
import { boolean, url } from '../../../config/types.js';

export const gitlabSettings = {
  gitlabToken: setting({
    env: 'GITLAB_TOKEN',
    type: secret('token'),
    secret: true,
    meaning:
      'Personal, project, group or OAuth access token for projects on GitLab. Needs the role Reporter and the scope read_api or, without GITLAB_PUBLISH_TOKEN, api.',
  }),
  gitlabPublishToken: setting({
    env: 'GITLAB_PUBLISH_TOKEN',
    type: secret('token'),
    otherwise: 'GITLAB_TOKEN',
    secret: true,
    meaning: 'A second token, only for issues: scope api.',
  }),
  gitlabUrl: setting({
    env: 'GITLAB_URL',
    type: url,
    otherwise: 'https://gitlab.com',
    meaning: 'Base address of a self-managed GitLab, without /api/v4.',
  }),
  gitlabConfidential: setting({
    env: 'GITLAB_CONFIDENTIAL',
    type: boolean,
    default: '0',
    meaning: '1: only members of the project see the issues that Culprit creates on GitLab.',
  }),
  gitlabWebhookSecret: setting({
    env: 'GITLAB_WEBHOOK_SECRET',
    type: secrets('secret[,secret]'),
    default: '',
    secret: true,
    otherwise: 'POST /webhook/gitlab of core is closed',
    meaning:
      'Signing token (whsec_…) or secret token of the webhook by which GitLab reports changes of issues to core. Two while it is being rotated. Without it, an issue is read when its crash recurs.',
  }),
};
