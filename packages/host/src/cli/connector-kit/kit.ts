import type { ConnectorParts } from '@culprit/core/connector';
import { packageVersion } from '../version.js';
import { CODE_HOST_INDEX, CODE_HOST_SUBJECT, MAKE_REPOSITORY } from './code-host.js';
import { EXPLAINER_INDEX, EXPLAINER_SUBJECT } from './explainer.js';
import { NOTIFIER_INDEX, NOTIFIER_SUBJECT } from './notifier.js';
import { PUBLISHER_INDEX, PUBLISHER_SUBJECT } from './publisher.js';
import { TRACKER_INDEX, TRACKER_SUBJECT } from './tracker.js';

export const KIT_PORTS = ['tracker', 'publisher', 'code-host', 'explainer', 'notifier'] as const;
export type KitPort = (typeof KIT_PORTS)[number];

const PARTS: Readonly<Record<KitPort, { readonly index: string; readonly subject: string }>> = {
  tracker: { index: TRACKER_INDEX, subject: TRACKER_SUBJECT },
  publisher: { index: PUBLISHER_INDEX, subject: PUBLISHER_SUBJECT },
  'code-host': { index: CODE_HOST_INDEX, subject: CODE_HOST_SUBJECT },
  explainer: { index: EXPLAINER_INDEX, subject: EXPLAINER_SUBJECT },
  notifier: { index: NOTIFIER_INDEX, subject: NOTIFIER_SUBJECT },
};

/** A sample configuration for each port in `culprit.json`; secrets come from the environment. */
const CONFIGS: Readonly<Record<KitPort, object>> = {
  tracker: { token: '$MY_TOKEN' },
  publisher: { url: 'https://issues.example.com' },
  'code-host': {},
  explainer: {},
  notifier: { url: 'https://chat.example.com', token: '$MY_TOKEN' },
};

/** The files of a new connector, by name. All of them are meant to be changed. */
export function connectorFiles(
  name: string,
  port: KitPort,
  sourceOf: (name: string) => string,
): Readonly<Record<string, string>> {
  const { index, subject } = PARTS[port];
  const member: keyof ConnectorParts = port === 'code-host' ? 'codeHost' : port;
  const fill = (text: string) => text.replaceAll('NAME', name).replaceAll('PORT', member);
  return {
    'package.json': `${JSON.stringify(manifest(name, port, sourceOf), null, 2)}\n`,
    'index.js': fill(index),
    'subject.js': fill(subject),
    'contract.test.js': CONTRACT_TEST,
    ...(port === 'code-host' ? { 'make-repository.js': MAKE_REPOSITORY } : {}),
    'README.md': readme(name, port),
  };
}

function manifest(name: string, port: KitPort, sourceOf: (name: string) => string) {
  const ours = ['@culprit/core', ...(port === 'code-host' ? ['@culprit/connectors'] : [])];
  const each = (value: (one: string) => string) => Object.fromEntries(ours.map((one) => [one, value(one)]));
  return {
    name: `culprit-connector-${name}`,
    version: '0.1.0',
    description: `A ${port} for Culprit.`,
    type: 'module',
    keywords: ['culprit-connector'],
    exports: './index.js',
    files: ['index.js'],
    scripts: { test: 'node --test' },
    dependencies: { valibot: '1.5.0' },
    peerDependencies: each(() => `^${packageVersion()}`),
    devDependencies: each(sourceOf),
    engines: { node: '>=20.19' },
  };
}

const CONTRACT_TEST = `import { test } from 'node:test';
import { make, suite } from './subject.js';

// The port's contract. The same two lines run under tap and vitest: they only need a \`test\`.
for (const { name, run } of suite) test(name, () => run(make));
`;

function readme(name: string, port: KitPort): string {
  const entry = { package: `culprit-connector-${name}`, config: CONFIGS[port] };
  return `# culprit-connector-${name}

A ${port} for Culprit. \`index.js\` is the connector, \`subject.js\` sets it up for the contract suite.

\`\`\`sh
npm install
npm test
\`\`\`

In the host's \`culprit.json\`, after \`npm install FOLDER\` beside it (once published, its name instead of its folder; a value
\`$NAME\` is read from the environment):

\`\`\`json
${JSON.stringify({ connectors: [entry] }, null, 2)}
\`\`\`

In your own program: \`createEngine({ connectors: [connector(config), …] })\`.
`;
}
