/** Where a secret is; never the secret itself. */
export interface SecretPlace {
  /** The setting that the secret belongs to. */
  readonly setting: string;
  /** Where it was generated; `null`: the setting has it. */
  readonly file: string | null;
  /** Those that lead to it in the file. */
  readonly members: readonly string[];
  readonly exists: boolean;
}

/** Who sends crashes of one project, and where its secrets are; it contains none. */
export interface Sender {
  readonly project: string;
  /** The public key of its DSN; `null`: it has none. */
  readonly key: string | null;
  readonly service_token: SecretPlace;
  readonly hook_secret: SecretPlace;
}

export interface Snippet {
  readonly id: string;
  readonly label: string;
  /** `{dsn}`, `{edge}` and `{token line}` are filled in by {@link snippetFor}. */
  readonly text: string;
}

/** Ready programs, one row for each. GIT_COMMIT: the full SHA of what is deployed, which lets blame start at the exact commit. */
export const SNIPPETS: readonly Snippet[] = [
  {
    id: 'node',
    label: 'Node',
    text: `// npm install @sentry/node; save as instrument.mjs and start with: node --import ./instrument.mjs app.js
import * as Sentry from '@sentry/node';

Sentry.init({
  dsn: '{dsn}',
  release: process.env.GIT_COMMIT,
  environment: 'production',
});
`,
  },
  {
    id: 'browser',
    label: 'Browser',
    text: `// npm install @sentry/browser; your build replaces GIT_COMMIT
import * as Sentry from '@sentry/browser';

Sentry.init({
  dsn: '{dsn}',
  release: 'GIT_COMMIT',
  environment: 'production',
});
`,
  },
  {
    id: 'python',
    label: 'Python',
    text: `# pip install sentry-sdk
import os

import sentry_sdk

sentry_sdk.init(
    dsn="{dsn}",
    release=os.environ.get("GIT_COMMIT"),
    environment="production",
)
`,
  },
  {
    id: 'java',
    label: 'Java',
    text: `// Maven or Gradle: io.sentry:sentry
import io.sentry.Sentry;

Sentry.init(options -> {
  options.setDsn("{dsn}");
  options.setRelease(System.getenv("GIT_COMMIT"));
  options.setEnvironment("production");
  options.addInAppInclude("com.example"); // your packages
});
`,
  },
  {
    id: 'go',
    label: 'Go',
    text: `// go get github.com/getsentry/sentry-go; at the beginning of main
err := sentry.Init(sentry.ClientOptions{
	Dsn:         "{dsn}",
	Release:     os.Getenv("GIT_COMMIT"),
	Environment: "production",
})
if err != nil {
	log.Fatal(err)
}
defer sentry.Flush(2 * time.Second)
defer sentry.Recover()
`,
  },
  {
    id: 'ruby',
    label: 'Ruby',
    text: `# gem install sentry-ruby
require 'sentry-ruby'

Sentry.init do |config|
  config.dsn = '{dsn}'
  config.release = ENV['GIT_COMMIT']
  config.environment = 'production'
end
`,
  },
  {
    id: 'php',
    label: 'PHP',
    text: `// composer require sentry/sentry
\\Sentry\\init([
    'dsn' => '{dsn}',
    'release' => getenv('GIT_COMMIT') ?: null,
    'environment' => 'production',
]);
`,
  },
  {
    id: 'dotnet',
    label: '.NET',
    text: `// dotnet add package Sentry
using Sentry;

using var sentry = SentrySdk.Init(options =>
{
    options.Dsn = "{dsn}";
    options.Release = System.Environment.GetEnvironmentVariable("GIT_COMMIT");
    options.Environment = "production";
});
`,
  },
  {
    id: 'curl',
    label: 'curl',
    text: `{token line}
curl -sS '{edge}/api/v1/telemetry/ingest' \\
  -H "x-service-token: $TOKEN" -H 'content-type: application/json' \\
  -d '{ "platform": "node", "environment": "production",
    "stack": "TypeError: total is not a function\\n    at checkout (src/checkout.js:17:9)" }'
`,
  },
  {
    id: 'otlp',
    label: 'OpenTelemetry',
    text: `{token line}
export OTEL_EXPORTER_OTLP_ENDPOINT='{edge}'
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_HEADERS="x-service-token=$TOKEN"
`,
  },
];

/** The program with the addresses of a project. A secret stays where it is: the shell reads it. */
export function snippetFor({ text }: Snippet, sender: Sender, edgeUrl: string): string {
  const { dsn } = addressesOf(sender, edgeUrl);
  return text
    .replaceAll('{dsn}', () => dsn ?? `(no key of ${sender.project} in SDK_KEYS)`)
    .replaceAll('{edge}', () => edgeUrl)
    .replaceAll('{token line}', () => tokenLine(sender.service_token));
}

export function addressesOf({ key }: Sender, edgeUrl: string) {
  return {
    dsn: key === null ? null : dsnOf(edgeUrl, key),
    ingest_url: `${edgeUrl}/api/v1/telemetry/ingest`,
    hook_url: `${edgeUrl}/webhook/errortracker`,
  };
}

/** SDKs require a number as project; the key identifies ours. */
export function dsnOf(edgeUrl: string, key: string): string {
  return `${edgeUrl.replace('://', `://${key}@`)}/1`;
}

/** In place of a DSN. */
export const NO_DSN = 'none: add a key of this project to SDK_KEYS';

/** Where a secret is, in words. */
export function placeText({ setting, file, members, exists }: SecretPlace): string {
  if (!exists && file !== null) return `none yet: culprit up generates it in ${file}`;
  if (!exists) return `none: add one of this project to ${setting}`;
  return file === null ? `in ${setting}` : `"${members.join('.')}" in ${file}`;
}

function tokenLine({ setting, file, members }: SecretPlace): string {
  if (file === null) return `TOKEN=…  # a token of ${setting}`;
  const program = `console.log(${JSON.stringify(members)}.reduce((part, name) => part[name], require(${JSON.stringify(file)})))`;
  return `TOKEN=$(node -e '${program.replaceAll("'", `'\\''`)}')`;
}
