import { type IssueWebhook, signedEvents } from '../shared/issue-webhook.js';
import { SCHEME } from './config.js';

/** `Fixes #12`, `closes acme/shop#12`. The words are the server's defaults. */
const CLOSING =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+([\w.-]{1,100}\/[\w.-]{1,100})?#(\d{1,9})\b/gi;

/**
 * Verifies the signature over the raw bytes with one of the secrets: the HMAC-SHA256 as hexadecimal text, which Forgejo sends as
 * `X-Forgejo-Signature` and both as `X-Gitea-Signature`.
 */
export function forgejoWebhook({ secrets }: { readonly secrets: readonly string[] }): IssueWebhook {
  return signedEvents('forgejo', {
    secrets,
    signature: (headers) => headers['x-forgejo-signature'] ?? headers['x-gitea-signature'] ?? '',
    signedBy: 'X-Forgejo-Signature',
    event: (headers) => headers['x-forgejo-event'] ?? headers['x-gitea-event'],
    *fixed(text, repository) {
      for (const [, name, digits] of text.matchAll(CLOSING))
        yield { repository: `${SCHEME}${name ?? repository}`, number: Number(digits) };
    },
  });
}
