import { secret, secrets } from '../../../config/credentials.js';
import { setting } from '../../../config/setting.js';
import { url } from '../../../config/types.js';

export const forgejoSettings = {
  forgejoUrl: setting({
    env: 'FORGEJO_URL',
    type: url,
    meaning: 'Base address of the Forgejo or Gitea server that has the repositories forgejo:owner/name.',
  }),
  forgejoToken: setting({
    env: 'FORGEJO_TOKEN',
    type: secret('token'),
    secret: true,
    meaning:
      'Access token for repositories on Forgejo or Gitea. Needs read:repository and, without FORGEJO_PUBLISH_TOKEN, read:user and write:issue.',
  }),
  forgejoPublishToken: setting({
    env: 'FORGEJO_PUBLISH_TOKEN',
    type: secret('token'),
    otherwise: 'FORGEJO_TOKEN',
    secret: true,
    meaning: 'A second token, only for issues and labels: write:issue and read:user.',
  }),
  forgejoWebhookSecret: setting({
    env: 'FORGEJO_WEBHOOK_SECRET',
    type: secrets('secret[,secret]'),
    default: '',
    secret: true,
    otherwise: 'POST /webhook/forgejo of core is closed',
    meaning:
      'Secret of the webhook by which Forgejo or Gitea reports changes of issues to core. Two while it is being rotated. Without it, an issue is read when its crash recurs.',
  }),
};
