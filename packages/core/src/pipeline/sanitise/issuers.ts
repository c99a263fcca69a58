/** How an issuer's tokens look: one of `starts`, literally, then what `rest` matches. */
export interface TokenForm {
  readonly starts: readonly string[];
  /** A regular expression without flags. */
  readonly rest: string;
  /** What precedes the start: a lookbehind, or an expression that ends in a character other than a letter, digit, `_` or `-`. */
  readonly before: string;
}

/** A token with a form that its issuer documents. */
export interface IssuerToken {
  readonly id: string;
  readonly what: string;
  readonly source: string;
  readonly forms: readonly TokenForm[];
  /** All forms as one regular expression without flags. */
  readonly pattern: string;
}

/** `starts` are separated by blanks. */
type Form = readonly [starts: string, rest: string, before?: string];

export function issuerToken(
  id: string,
  what: string,
  source: string,
  ...given: readonly Form[]
): IssuerToken {
  const forms = given.map(([starts, rest, before = '']) => ({ starts: starts.split(' '), rest, before }));
  return { id, what, source, forms, pattern: `(?:${forms.map(patternOf).join('|')})` };
}

function patternOf({ starts, rest, before }: TokenForm): string {
  return `${before}(?:${starts.map((start) => start.replace(/[.\-/]/g, '\\$&')).join('|')})${rest}`;
}

/**
 * The known issuers, in the order in which they are redacted. The rule and the prefilter in front of it (`issuer-prefilter.ts`)
 * are derived from this table: to add an issuer, add a line.
 */
export const ISSUER_TOKENS: readonly IssuerToken[] = [
  issuerToken('jwt', 'JSON Web Token, signed or encrypted', 'RFC 7519', [
    'eyJ',
    '[\\w-]{12,}\\.[\\w-]{4,}\\.[\\w-]*(?:\\.[\\w-]+)*',
    '(?<![\\w-])',
  ]),
  issuerToken('aws_key', 'AWS access key id', 'docs.aws.amazon.com IAM identifiers', [
    'AKIA ASIA ABIA ACCA',
    '[A-Z0-9]{16}',
  ]),
  issuerToken(
    'github_token',
    'GitHub token',
    'docs.github.com about authentication',
    ['ghp_ gho_ ghu_ ghs_ ghr_', '[A-Za-z0-9]{30,}'],
    // Since April 2026: ghs_APPID_JWT.
    ['ghs_', '\\d{1,12}_eyJ[\\w-]{8,}\\.[\\w-]{4,}\\.[\\w-]*'],
    ['github_pat_', '\\w{22,}'],
  ),
  issuerToken('gitlab_token', 'GitLab token', 'docs.gitlab.com token prefixes', [
    'glpat- gloas- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- glwt-',
    '[\\w-]{18,}(?:\\.[\\w-]+)*',
  ]),
  issuerToken(
    'slack_token',
    'Slack token',
    'docs.slack.dev token types',
    ['xox', '[a-z]-[\\w-]{10,}'],
    ['xapp-', '\\d-[\\w-]{10,}'],
    ['xoxe.', '[\\w.-]{10,}'],
  ),
  issuerToken('slack_hook', 'Slack webhook address', 'docs.slack.dev incoming webhooks', [
    'hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/',
    '[\\w/-]{20,}',
  ]),
  issuerToken('discord_hook', 'Discord webhook address', 'discord.com/developers webhooks', [
    'discord.com/api/ discordapp.com/api/',
    '(?:v\\d{1,2}/)?webhooks/\\d{15,22}/[\\w-]{20,}',
  ]),
  issuerToken('teams_hook', 'Microsoft Teams webhook address', 'learn.microsoft.com incoming webhooks', [
    'webhook.office.com/webhookb2/ outlook.office.com/webhook/',
    '[\\w@/-]{40,}',
  ]),
  issuerToken(
    'stripe_key',
    'Stripe secret key',
    'docs.stripe.com keys',
    ['sk_live_ sk_test_ rk_live_ rk_test_', '[A-Za-z0-9]{10,}'],
    ['whsec_', '[A-Za-z0-9+/=]{16,}'],
  ),
  issuerToken(
    'model_key',
    'OpenAI or Anthropic key',
    'platform documentation of both',
    ['sk-proj- sk-ant- sk-svcacct- sk-admin- sk-or- sk-None-', '[\\w-]{16,}'],
    ['sk-', '[A-Za-z0-9]{20,}'],
  ),
  issuerToken('npm_token', 'npm token', 'docs.npmjs.com access tokens', ['npm_', '[A-Za-z0-9]{36,}']),
  issuerToken('pypi_token', 'PyPI token', 'pypi.org help', ['pypi-AgE', '[\\w-]{20,}']),
  issuerToken(
    'google_key',
    'Google API key or OAuth token',
    'cloud.google.com API keys',
    ['AIza', '[\\w-]{35}'],
    ['ya29.', '[\\w-]{20,}'],
    ['GOCSPX-', '[\\w-]{20,}'],
  ),
  issuerToken('sendgrid_key', 'SendGrid key', 'docs.sendgrid.com', ['SG.', '[\\w-]{16,}\\.[\\w-]{16,}']),
  issuerToken('twilio_key', 'Twilio API key', 'twilio.com/docs API keys', ['SK', '[0-9a-f]{32}']),
  issuerToken('mailgun_key', 'Mailgun key', 'documentation.mailgun.com', ['key-', '[0-9a-f]{32}']),
  issuerToken('digitalocean_token', 'DigitalOcean token', 'docs.digitalocean.com', [
    'doo_v1_ dop_v1_ dor_v1_',
    '[0-9a-f]{64}',
  ]),
  issuerToken('shopify_token', 'Shopify token', 'shopify.dev access tokens', [
    'shpat_ shpca_ shppa_ shpss_',
    '[0-9a-fA-F]{32}',
  ]),
  issuerToken('huggingface_token', 'Hugging Face token', 'huggingface.co/docs', ['hf_', '[A-Za-z0-9]{30,}']),
  issuerToken('vault_token', 'HashiCorp Vault token', 'developer.hashicorp.com', [
    'hvs. hvb. hvr.',
    '[\\w-]{20,}',
  ]),
  issuerToken('databricks_token', 'Databricks token', 'docs.databricks.com', ['dapi', '[0-9a-f]{32}']),
  issuerToken('linear_key', 'Linear key', 'linear.app/developers', [
    'lin_api_ lin_oauth_',
    '[A-Za-z0-9]{32,}',
  ]),
  issuerToken(
    'notion_key',
    'Notion key',
    'developers.notion.com',
    ['ntn_', '[A-Za-z0-9]{40,}'],
    ['secret_', '[A-Za-z0-9]{43}'],
  ),
  issuerToken('telegram_token', 'Telegram bot token', 'core.telegram.org/bots', [
    'AA',
    '[\\w-]{32,}',
    '(?:bot)?\\d{8,10}:',
  ]),
  issuerToken('sentry_token', 'Sentry auth token', 'docs.sentry.io auth tokens', [
    'sntrys_ sntryu_',
    '[\\w+/=-]{20,}',
  ]),
  issuerToken('grafana_token', 'Grafana token', 'grafana.com/docs', ['glsa_ glc_', '[\\w+/=]{32,}']),
  issuerToken('newrelic_key', 'New Relic key', 'docs.newrelic.com', ['NRAK- NRII- NRRA-', '[\\w-]{20,}']),
  issuerToken('square_token', 'Square token', 'developer.squareup.com', [
    'sq0atp- sq0csp- sq0idp-',
    '[\\w-]{20,}',
  ]),
  issuerToken('atlassian_token', 'Atlassian token', 'support.atlassian.com', ['ATATT3', '[\\w=-]{20,}']),
  issuerToken('docker_token', 'Docker Hub token', 'docs.docker.com', ['dckr_pat_ dckr_oat_', '[\\w-]{20,}']),
  issuerToken('rubygems_key', 'RubyGems key', 'guides.rubygems.org', ['rubygems_', '[0-9a-f]{48}']),
  issuerToken('age_key', 'age secret key', 'age-encryption.org', ['AGE-SECRET-KEY-1', '[0-9A-Z]{50,}']),
  issuerToken('culprit_token', 'API token of Culprit', 'docs/guides/access.md', [
    'culprit_pat_',
    '[A-Za-z0-9]{40,}',
  ]),
  issuerToken('azure_key', 'Azure storage key', 'learn.microsoft.com connection strings', [
    'AccountKey=',
    '[A-Za-z0-9+/]{40,}={0,2}',
  ]),
  issuerToken('discord_token', 'Discord bot token', 'discord.com/developers', [
    'M N O',
    '[\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,}',
  ]),
];
