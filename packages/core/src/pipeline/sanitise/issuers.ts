/** A token whose issuer gave it a recognisable form. `pattern` has no flags and begins with a literal. */
export interface IssuerToken {
  readonly id: string;
  readonly what: string;
  readonly source: string;
  readonly pattern: string;
}

const token = (id: string, what: string, source: string, pattern: string): IssuerToken => ({
  id,
  what,
  source,
  pattern,
});

/** Kept in the order of use; patterns are written from the issuers' own descriptions of their formats. */
export const ISSUER_TOKENS: readonly IssuerToken[] = [
  token(
    'jwt',
    'JSON Web Token or encrypted one',
    'RFC 7519',
    '(?<![\\w-])eyJ[\\w-]{12,}\\.[\\w-]{4,}\\.[\\w-]*(?:\\.[\\w-]+)*',
  ),
  token(
    'aws_key',
    'AWS access key id',
    'docs.aws.amazon.com IAM identifiers',
    '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}',
  ),
  token(
    'github_token',
    'GitHub token',
    'docs.github.com about authentication',
    '(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\\w{22,})',
  ),
  token(
    'gitlab_token',
    'GitLab token',
    'docs.gitlab.com token prefixes',
    'gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct|wt)-[\\w-]{18,}(?:\\.[\\w-]+)*',
  ),
  token(
    'slack_token',
    'Slack token',
    'docs.slack.dev token types',
    '(?:xox[a-z]-[\\w-]{10,}|xapp-\\d-[\\w-]{10,}|xoxe\\.[\\w.-]{10,})',
  ),
  token(
    'slack_hook',
    'Slack webhook address',
    'docs.slack.dev incoming webhooks',
    'hooks\\.slack\\.com/(?:services|workflows|triggers)/[\\w/-]{20,}',
  ),
  token(
    'stripe_key',
    'Stripe secret key',
    'docs.stripe.com keys',
    '(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,})',
  ),
  token(
    'model_key',
    'OpenAI or Anthropic key',
    'platform documentation of both',
    'sk-(?:(?:proj|ant|svcacct|admin|or|None)-[\\w-]{16,}|[A-Za-z0-9]{20,})',
  ),
  token('npm_token', 'npm token', 'docs.npmjs.com access tokens', 'npm_[A-Za-z0-9]{36,}'),
  token('pypi_token', 'PyPI token', 'pypi.org help', 'pypi-AgE[\\w-]{20,}'),
  token(
    'google_key',
    'Google API key or OAuth token',
    'cloud.google.com API keys',
    '(?:AIza[\\w-]{35}|ya29\\.[\\w-]{20,}|GOCSPX-[\\w-]{20,})',
  ),
  token('sendgrid_key', 'SendGrid key', 'docs.sendgrid.com', 'SG\\.[\\w-]{16,}\\.[\\w-]{16,}'),
  token('twilio_key', 'Twilio API key', 'twilio.com/docs API keys', 'SK[0-9a-f]{32}'),
  token('mailgun_key', 'Mailgun key', 'documentation.mailgun.com', 'key-[0-9a-f]{32}'),
  token('digitalocean_token', 'DigitalOcean token', 'docs.digitalocean.com', 'do[opr]_v1_[0-9a-f]{64}'),
  token('shopify_token', 'Shopify token', 'shopify.dev access tokens', 'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}'),
  token('huggingface_token', 'Hugging Face token', 'huggingface.co/docs', 'hf_[A-Za-z0-9]{30,}'),
  token('vault_token', 'HashiCorp Vault token', 'developer.hashicorp.com', 'hv[sbr]\\.[\\w-]{20,}'),
  token('databricks_token', 'Databricks token', 'docs.databricks.com', 'dapi[0-9a-f]{32}'),
  token('linear_key', 'Linear key', 'linear.app/developers', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,}'),
  token(
    'notion_key',
    'Notion key',
    'developers.notion.com',
    '(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43})',
  ),
  token('telegram_token', 'Telegram bot token', 'core.telegram.org/bots', '\\d{8,10}:AA[\\w-]{32,}'),
  token('sentry_token', 'Sentry auth token', 'docs.sentry.io auth tokens', 'sntry[su]_[\\w+/=-]{20,}'),
  token('grafana_token', 'Grafana token', 'grafana.com/docs', 'gl(?:sa|c)_[\\w+/=]{32,}'),
  token('newrelic_key', 'New Relic key', 'docs.newrelic.com', 'NR(?:AK|II|RA)-[\\w-]{20,}'),
  token('square_token', 'Square token', 'developer.squareup.com', 'sq0(?:atp|csp|idp)-[\\w-]{20,}'),
  token('atlassian_token', 'Atlassian token', 'support.atlassian.com', 'ATATT3[\\w=-]{20,}'),
  token('docker_token', 'Docker Hub token', 'docs.docker.com', 'dckr_(?:pat|oat)_[\\w-]{20,}'),
  token('rubygems_key', 'RubyGems key', 'guides.rubygems.org', 'rubygems_[0-9a-f]{48}'),
  token('age_key', 'age secret key', 'age-encryption.org', 'AGE-SECRET-KEY-1[0-9A-Z]{50,}'),
  token(
    'azure_key',
    'Azure storage key',
    'learn.microsoft.com connection strings',
    'AccountKey=[A-Za-z0-9+/]{40,}={0,2}',
  ),
  token(
    'discord_token',
    'Discord bot token',
    'discord.com/developers',
    '[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,}',
  ),
];
