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

/** The form as a regular expression without flags. */
export function patternOf({ starts, rest, before }: TokenForm): string {
  return `${before}(?:${starts.map((start) => start.replace(/[.\-/$]/g, '\\$&')).join('|')})${rest}`;
}

/**
 * The known issuers, in the order in which they are redacted: id, name, source, starts, what follows, what precedes. A line
 * without an id is another form of the issuer above. Columns are two blanks apart. The rule and the prefilter in front of it
 * (`issuer-prefilter.ts`) are derived from this table: to add an issuer, add a line. `gitleaks`: its list of rules, version 8.30.
 */
const TABLE = String.raw`
jwt  JSON Web Token, signed or encrypted  RFC 7519  eyJ  [\w-]{12,}\.[\w-]{4,}\.[\w-]*(?:\.[\w-]+)*  (?<![\w-])
jwt_base64  JSON Web Token in base64  gitleaks  ZXlK  [\w+/-]{40,}={0,2}
aws_key  AWS access key id, Bedrock key  docs.aws.amazon.com IAM identifiers  AKIA ASIA ABIA ACCA  [A-Z0-9]{16}
  ABSK  [\w+/]{100,}={0,2}
  bedrock-api-key-  [\w+/=]{20,}
github_token  GitHub token  docs.github.com about authentication  ghp_ gho_ ghu_ ghs_ ghr_  [A-Za-z0-9]{30,}
  ghs_  \d{1,12}_eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*
  github_pat_  \w{22,}
gitlab_token  GitLab token  docs.gitlab.com token prefixes  glpat- gloas- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- glwt-  [\w-]{18,}(?:\.[\w-]+)*
  GR1348941  [\w-]{20,}
slack_token  Slack token  docs.slack.dev token types  xox  [a-z]-[\w-]{10,}
  xapp-  \d-[\w-]{10,}
  xoxe.  [\w.-]{10,}
slack_hook  Slack webhook address  docs.slack.dev incoming webhooks  hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/  [\w/-]{20,}
discord_hook  Discord webhook address  discord.com/developers webhooks  discord.com/api/ discordapp.com/api/  (?:v\d{1,2}/)?webhooks/\d{15,22}/[\w-]{20,}
teams_hook  Microsoft Teams webhook address  learn.microsoft.com incoming webhooks  webhook.office.com/webhookb2/ outlook.office.com/webhook/  [\w@/-]{40,}
stripe_key  Stripe secret key  docs.stripe.com keys  sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_  [A-Za-z0-9]{10,}
  whsec_  [A-Za-z0-9+/=]{16,}
model_key  OpenAI or Anthropic key  platform documentation of both  sk-proj- sk-ant- sk-svcacct- sk-admin- sk-or- sk-None- sk-lf-  [\w-]{16,}
  sk-  [A-Za-z0-9]{20,}
npm_token  npm token  docs.npmjs.com access tokens  npm_  [A-Za-z0-9]{36,}
pypi_token  PyPI token  pypi.org help  pypi-AgE  [\w-]{20,}
google_key  Google API key or OAuth token  cloud.google.com API keys  AIza  [\w-]{35}
  ya29.  [\w-]{20,}
  GOCSPX-  [\w-]{20,}
  APA91b  [\w-]{100,}
sendgrid_key  SendGrid key  docs.sendgrid.com  SG.  [\w-]{16,}\.[\w-]{16,}
twilio_key  Twilio API key  twilio.com/docs API keys  SK  [0-9a-fA-F]{32}
mailgun_key  Mailgun key  documentation.mailgun.com  key-  [0-9a-f]{32}
digitalocean_token  DigitalOcean token  docs.digitalocean.com  doo_v1_ dop_v1_ dor_v1_  [0-9a-f]{64}
shopify_token  Shopify token  shopify.dev access tokens  shpat_ shpca_ shppa_ shpss_ shpua_  [0-9a-fA-F]{32}
huggingface_token  Hugging Face token  huggingface.co/docs  hf_ api_org_  [A-Za-z0-9]{30,}
vault_token  HashiCorp Vault token  developer.hashicorp.com  hvs. hvb. hvr.  [\w-]{20,}
terraform_token  HCP Terraform token  developer.hashicorp.com  atlasv1.  [\w=-]{50,}  [A-Za-z0-9]{14}\.
databricks_token  Databricks token  docs.databricks.com  dapi  [0-9a-f]{32}(?:-\d)?
linear_key  Linear key  linear.app/developers  lin_api_ lin_oauth_  [A-Za-z0-9]{32,}
notion_key  Notion key  developers.notion.com  ntn_  [A-Za-z0-9]{40,}
  secret_  [A-Za-z0-9]{43}
telegram_token  Telegram bot token  core.telegram.org/bots  A  [\w-]{34,}  (?:bot)?\d{5,16}:
sentry_token  Sentry auth token  docs.sentry.io auth tokens  sntrys_ sntryu_ sntryi_ sntrya_  [\w+/=-]{20,}
grafana_token  Grafana token  grafana.com/docs  glsa_ glc_  [\w+/=]{32,}
  eyJrIjoi  [A-Za-z0-9]{60,}={0,3}
newrelic_key  New Relic key  docs.newrelic.com  NRAK- NRII- NRRA-  [\w-]{20,}
  NRJS-  [0-9a-f]{19}
square_token  Square token  developer.squareup.com  sq0atp- sq0csp- sq0idp-  [\w-]{20,}
  EAAA  [\w-]{40,60}(?![\w-])
facebook_token  Facebook token  developers.facebook.com access tokens  EAA  [A-Za-z0-9]{100,}
atlassian_token  Atlassian or Bitbucket token  support.atlassian.com  ATATT3 ATCTT3 ATBB ATOA  [\w=-]{20,}
docker_token  Docker Hub token  docs.docker.com  dckr_pat_ dckr_oat_  [\w-]{20,}
rubygems_key  RubyGems key  guides.rubygems.org  rubygems_  [0-9a-f]{48}
age_key  age secret key  age-encryption.org  AGE-SECRET-KEY-1  [0-9A-Z]{50,}
culprit_token  API token of Culprit  docs/guides/access.md  culprit_pat_  [A-Za-z0-9]{40,}
azure_key  Azure storage key  learn.microsoft.com connection strings  AccountKey=  [A-Za-z0-9+/]{40,}={0,2}
azure_secret  Microsoft Entra client secret  gitleaks  Q~  [\w~.-]{31,34}  [\w~.]{3}\d
discord_token  Discord bot token  discord.com/developers  M N O  [\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}
onepassword_key  1Password secret key or token  gitleaks  A3-  [A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3}
  ops_eyJ  [\w+/]{40,}={0,3}
adobe_secret  Adobe client secret  gitleaks  p8e-  [A-Za-z0-9]{32}
airtable_token  Airtable token  airtable.com/developers  pat  [A-Za-z0-9]{14}\.[0-9a-f]{64}
alibaba_key  Alibaba Cloud access key id  alibabacloud.com/help RAM  LTAI  [A-Za-z0-9]{12,30}
jfrog_token  JFrog key or token  gitleaks  AKCp  [A-Za-z0-9]{69}
  cmVmd  [A-Za-z0-9]{59}(?![\w+/=])
authress_key  Authress access key  gitleaks  sc_ ext_ scauth_ authress_  [A-Za-z0-9]{12,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[\w+/=-]{30,}
clickhouse_key  ClickHouse Cloud key  gitleaks  4b1d  [A-Za-z0-9]{38}(?![A-Za-z0-9])
clojars_token  Clojars token  gitleaks  CLOJARS_  [A-Za-z0-9]{60}
cloudflare_key  Cloudflare origin CA key  developers.cloudflare.com  v1.0-  [0-9a-f]{24}-[0-9a-f]{146}
contentful_token  Contentful token  contentful.com/developers  CFPAT-  [\w-]{40,}
defined_token  Defined Networking token  gitleaks  dnkey-  [\w=-]{26}-[\w=-]{52}
doppler_token  Doppler token  docs.doppler.com  dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.  (?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}
dropbox_token  Dropbox token  dropbox.com/developers  sl.  (?:u\.)?[\w=-]{80,}
duffel_token  Duffel token  gitleaks  duffel_test_ duffel_live_  [\w=-]{43}
dynatrace_token  Dynatrace token  docs.dynatrace.com  dt0c01. dt0s01. dt0s06. dt0s08. dt0s16.  [A-Za-z0-9]{8,24}\.[A-Za-z0-9]{64}
easypost_key  EasyPost key  gitleaks  EZAK EZTK  [A-Za-z0-9]{54}
figma_token  Figma token  figma.com/developers  figd_  [\w-]{36,}
flutterwave_key  Flutterwave key  gitleaks  FLWSECK_TEST- FLWSECK-  [A-Za-z0-9]{12,48}(?:-X)?
flyio_token  Fly.io token  fly.io/docs  fo1_  [\w-]{43}
  fm1a_ fm1r_ fm2_  [\w+/]{100,}={0,3}
frameio_token  Frame.io token  gitleaks  fio-u-  [\w=-]{64}
groq_key  Groq key  console.groq.com/docs  gsk_  [A-Za-z0-9]{50,}
harness_key  Harness key  developer.harness.io  pat. sat.  [\w-]{22}\.[0-9a-zA-Z]{24}\.[0-9a-zA-Z]{20}
heroku_key  Heroku key  devcenter.heroku.com  HRKU-AA  [\w-]{58}
honeycomb_key  Honeycomb key  docs.honeycomb.io  hc  [a-z][a-z]k_[A-Za-z0-9]{26,}
hubspot_token  HubSpot token  developers.hubspot.com  pat-na1- pat-na2- pat-eu1- pat-ap1-  [0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}
infracost_key  Infracost key  gitleaks  ico-  [A-Za-z0-9]{32}(?![\w-])
intra42_secret  42 Intra client secret  gitleaks  s-s4t2ud- s-s4t2af-  [0-9a-f]{64}
launchdarkly_key  LaunchDarkly key  docs.launchdarkly.com  api- sdk-  [0-9a-f]{8}-[0-9a-f]{4}(?:-[0-9a-f]{4}){2}-[0-9a-f]{12}
mailchimp_key  Mailchimp key  mailchimp.com/developer  us  \d{1,2}(?!\w)  [0-9a-f]{32}-
mapbox_token  Mapbox token  docs.mapbox.com  pk.eyJ sk.eyJ tk.eyJ  [\w-]{20,}\.[\w-]{16,}
maxmind_key  MaxMind licence key  dev.maxmind.com  mmk  (?!\w)  [A-Za-z0-9]{6}_[A-Za-z0-9]{29}_
octopus_key  Octopus Deploy key  octopus.com/docs  API-  [A-Z0-9]{26}(?![\w-])
openshift_token  OpenShift token  docs.openshift.com  sha256~  [\w-]{43}
perplexity_key  Perplexity key  docs.perplexity.ai  pplx-  [A-Za-z0-9]{48}
plaid_token  Plaid access token  plaid.com/docs  access-sandbox- access-development- access-production-  [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}
planetscale_token  PlanetScale token or password  planetscale.com/docs  pscale_tkn_ pscale_oauth_ pscale_pw_  [\w-]{32,}(?:[.=][\w.=-]*)?
postman_key  Postman key  learning.postman.com  PMAK-  [0-9a-f]{24}-[0-9a-f]{34}
prefect_key  Prefect key  docs.prefect.io  pnu_ pnb_  [A-Za-z0-9]{36}
pulumi_token  Pulumi token  pulumi.com/docs  pul-  [0-9a-f]{40}
readme_key  ReadMe key  docs.readme.com  rdme_  [a-z0-9]{70}
replicate_token  Replicate token  replicate.com/docs  r8_  [A-Za-z0-9]{37}
saml_response  SAML response or assertion in base64  OASIS SAML 2.0 bindings §3.5  PHNhbWxwOlJlc3BvbnNl PHNhbWwycDpSZXNwb25zZ PHNhbWw6QXNzZXJ0aW9u PHNhbWwyOkFzc2VydGlvb  [\w+/=]{20,}
scalingo_token  Scalingo token  gitleaks  tk-us-  [\w-]{48}
brevo_key  Brevo key  developers.brevo.com  xkeysib- xsmtpsib-  [0-9a-f]{64}-[A-Za-z0-9]{16}
settlemint_token  SettleMint token  gitleaks  sm_aat_ sm_pat_ sm_sat_  [A-Za-z0-9]{16}
shippo_token  Shippo token  gitleaks  shippo_live_ shippo_test_  [0-9a-fA-F]{40}
sonar_token  SonarQube token  docs.sonarsource.com  squ_ sqp_ sqa_  [\w=-]{40}
sourcegraph_token  Sourcegraph token  sourcegraph.com/docs  sgp_ sgp_local_  [0-9a-f]{40}
  sgp_  [0-9a-f]{16}_[0-9a-f]{40}
supabase_key  Supabase key or token  supabase.com/docs  sbp_ sb_secret_  [\w-]{30,}
tailscale_key  Tailscale key  tailscale.com/kb  tskey-  [\w-]{18,}
twitter_token  X (Twitter) bearer token  docs.x.com  AAAAAAAAAAAAAAAAAAAAAA  (?:[A-Za-z0-9+/=]|%2[BF]|%3D){60,}
typeform_token  Typeform token  typeform.com/developers  tfp_  [\w-]{20,}(?:[.=][\w.=-]*)?
yandex_key  Yandex Cloud key or token  yandex.cloud/docs  AQVN  [\w-]{35,38}
  t1.  [\w-]{10,}={0,2}\.[\w-]{86}={0,2}
password_hash  Hash of a password  crypt(5); passlib; Django  2a$ 2b$ 2x$ 2y$  \d\d\$[./A-Za-z0-9]{53}  \$
  1$ 5$ 6$ 7$ y$ gy$ md5$ sha1$ apr1$ 8$ 9$  [^\s"'$]{1,64}\$(?:[^\s"'$]{1,64}\$)?[./A-Za-z0-9]{20,}  \$
  argon2i$ argon2d$ argon2id$ scrypt$ pbkdf2$ pbkdf2-sha1$ pbkdf2-sha256$ pbkdf2-sha512$  [^\s"'<>]{20,}  \$
  P$ H$  [./A-Za-z0-9]{31}  \$
  pbkdf2_sha1$ pbkdf2_sha256$ bcrypt_sha256$  \d{1,10}\$[^\s"'<>]{20,}
  argon2$  argon2[id]{1,2}\$[^\s"'<>]{20,}
  1$  [\w./+-]{8,64}\$[0-9a-f]{64,}  scrypt:\d{1,10}:\d{1,4}:
  0$  [\w./+-]{8,64}\$[0-9a-f]{32,}  pbkdf2:sha\d{1,3}:\d{1,9}
`;

/** Reads {@link TABLE}: the columns of a line, or of a further form, which has no id, name and source. */
function readTable(table: string): readonly IssuerToken[] {
  const rows: { about: readonly string[]; forms: Form[] }[] = [];
  for (const line of table.trim().split('\n')) {
    const isForm = line.startsWith('  ');
    const columns = line.trim().split(/ {2,}/);
    const [starts = '', rest = '', before = ''] = isForm ? columns : columns.slice(3);
    if (!isForm) rows.push({ about: columns.slice(0, 3), forms: [] });
    rows.at(-1)?.forms.push([starts, rest, before]);
  }
  return rows.map(({ about: [id = '', what = '', source = ''], forms }) =>
    issuerToken(id, what, source, ...forms),
  );
}

export const ISSUER_TOKENS: readonly IssuerToken[] = readTable(TABLE);
