/** Policies of an organisation that refuse a token, in GitHub's words (RULES.md has the sources). */
export const POLICIES = {
  saml: 'Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.',
  'ip-allow-list':
    'Although you appear to have the correct authorization credentials, the `acme` organization has an IP allow list enabled, and your IP address is not permitted to access this resource.',
  'token-lifetime':
    "The 'acme' organization forbids access via a fine-grained personal access tokens if the token's lifetime is greater than 90 days. Please adjust your token's lifetime at the following URL: https://github.com/settings/personal-access-tokens/1",
  'no-classic-tokens':
    '`acme` forbids access via a personal access token (classic). Please use a GitHub App, OAuth App, or a personal access token with fine-grained permissions.',
  blocked: 'Repository access blocked',
  suspended: 'This installation has been suspended',
} as const;
export type Policy = keyof typeof POLICIES;

/** Headers beside the refusal. */
export function policyHeaders(policy: Policy): Record<string, string> {
  const url = 'https://github.com/orgs/acme/sso?authorization_request=AAAA';
  return policy === 'saml' ? { 'x-github-sso': `required; url=${url}` } : {};
}
