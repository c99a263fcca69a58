import { type IssueWebhook, signedEvents } from '../shared/issue-webhook.js';

/** `Fixes #12`, `closes acme/shop#12`, `Resolves: https://github.com/acme/shop/issues/12`. */
const CLOSING =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+(?:https?:\/\/[\w.:-]+\/([\w.-]+\/[\w.-]+)\/issues\/|([\w.-]+\/[\w.-]+)?#)(\d{1,9})\b/gi;

/** Verifies `X-Hub-Signature-256` over the raw bytes with one of the secrets. */
export function githubWebhook({ secrets }: { readonly secrets: readonly string[] }): IssueWebhook {
  return signedEvents('github', {
    secrets,
    signature: (headers) => /^sha256=(.*)$/.exec(headers['x-hub-signature-256'] ?? '')?.[1] ?? '',
    signedBy: 'X-Hub-Signature-256',
    event: (headers) => headers['x-github-event'],
    *fixed(text, repository) {
      for (const [, address, name, digits] of text.matchAll(CLOSING))
        yield { repository: address ?? name ?? repository, number: Number(digits) };
    },
  });
}
