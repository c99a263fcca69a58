import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { apiReports } from './api.mjs';
import { code, page, table } from './markdown.mjs';
import { accessPage } from './pages-access.mjs';
import { cliPage } from './pages-cli.mjs';
import { checksPage, configurationPage, livePage, routesPage } from './pages-host.mjs';

const LISTED = readFileSync(
  new URL('../../packages/core/test/fixtures/gitleaks-8.30.tsv', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => line.split('\t'));
const SANITISING = JSON.parse(
  readFileSync(new URL('../../packages/core/test/support/sanitise-figures.json', import.meta.url), 'utf8'),
);

/**
 * The pages of docs/reference, generated from the exports of the built code. A page is skipped while a module of `from` is
 * not built. @type {{ name: string, from: string[], render: (...exported: object[]) => string | Promise<string> }[]}
 */
const PAGES = [
  { name: 'errors', from: ['core/dist/errors/catalogue.js'], render: errorsPage },
  {
    name: 'outcomes',
    from: ['core/dist/domain/outcome.js', 'core/dist/domain/suspect.js'],
    render: outcomesPage,
  },
  { name: 'states', from: ['core/dist/domain/run.js'], render: statesPage },
  {
    name: 'configuration',
    from: ['host/dist/config/settings.js', 'host/dist/edge/limits.js', 'host/dist/compose/hosts/hosts.js'],
    render: configurationPage,
  },
  {
    name: 'routes',
    from: [
      'host/dist/server/routes.js',
      'host/dist/server/openapi-edge.js',
      'host/dist/config/settings.js',
      'host/dist/compose/issue-events.js',
    ],
    render: routesPage,
  },
  {
    name: 'access',
    from: [
      'core/dist/domain/access.js',
      'host/dist/server/routes.js',
      'host/dist/compose/issue-events.js',
      'host/dist/mcp/tools.js',
      'host/dist/mcp/question-tools.js',
      'host/dist/mcp/write-tools.js',
    ],
    render: accessPage,
  },
  {
    name: 'sanitising',
    from: [
      'core/dist/pipeline/sanitise/rules.js',
      'core/dist/pipeline/sanitise/issuers.js',
      'core/dist/pipeline/sanitise/key-kinds.js',
      'core/dist/pipeline/sanitise/encodings.js',
      'core/dist/pipeline/locate/denied-path.js',
    ],
    render: sanitisingPage,
  },
  {
    name: 'live-feed',
    from: ['host/dist/server/live/protocol.js', 'client/dist/live/messages.js'],
    render: livePage,
  },
  { name: 'checks', from: ['host/dist/cli/checks.js'], render: checksPage },
  { name: 'cli', from: ['host/dist/cli/commands.js', 'host/dist/cli/exit-codes.js'], render: cliPage },
];

/** `null` while one of them is not built. */
async function modulesOf(root, from) {
  const files = from.map((file) => join(root, 'packages', file));
  if (!files.every(existsSync)) return null;
  return Promise.all(files.map((file) => import(pathToFileURL(file).href)));
}

/** Path and text of every page whose modules are built. */
export async function renderFiles(root) {
  const pages = [];
  for (const { name, from, render } of PAGES) {
    const exported = await modulesOf(root, from);
    if (exported === null) continue;
    pages.push({ file: `docs/reference/${name}.md`, text: `${(await render(...exported)).trimEnd()}\n` });
  }
  pages.push({ file: 'docs/reference/api.md', text: apiPage(apiReports(root)) });
  return pages;
}

/** The names of the packages' entries, of those that programs and connectors import most. */
const ENTRIES = {
  'core/api/index': ['@culprit/core', 'For programs that embed an engine.'],
  'core/api/connector': ['@culprit/core/connector', 'For authors of connectors.'],
  'core/api/store': ['@culprit/core/store', 'For authors of a storage.'],
  'core/api/testing': ['@culprit/core/testing', 'For the tests of connectors.'],
  'embed/api/index': ['@culprit/embed', 'Culprit as a part of another server.'],
};

function apiPage(reports) {
  const parts = Object.entries(ENTRIES).flatMap(([file, [name, about]]) => {
    const report = reports.find((one) => one.file === `packages/${file}.txt`);
    if (report === undefined) return [];
    const rows = report.documented.map((one) => [code(one.name), one.about]);
    return [`## \`${name}\`\n\n${about}\n\n${table(['Name', 'Meaning'], rows)}`];
  });
  return page(
    'API',
    `What the packages export, from the doc comments. The declarations are in \`packages/*/api\` of the repository; everything below
\`@culprit/core/internal\` may change in any release. A nested type has no name of its own: \`Run['draft']\`.`,
    parts.join('\n'),
  );
}

function errorsPage({ ERRORS }) {
  return page(
    'Errors',
    `Every error is an RFC 9457 \`application/problem+json\` document with a stable \`code\`; \`detail\` says what to do.
The SDK door instead uses the error format that SDKs expect. *Retryable* means that the same request may succeed later.`,
    table(
      ['Code', 'Status', 'Retryable', 'Title'],
      Object.entries(ERRORS).map(([name, e]) => [code(name), e.status, e.retryable ? 'yes' : 'no', e.title]),
    ),
  );
}

function outcomesPage({ OUTCOMES }, { NO_SUSPECT }) {
  const rows = (record) => Object.entries(record).map(([name, meaning]) => [code(name), meaning]);
  return page(
    'Outcomes',
    'Every delivery has exactly one outcome. Outcomes are counted by name.',
    `${table(['Outcome', 'Meaning'], rows(OUTCOMES))}
## No suspect

Why a run has no suspect (\`no_suspect.code\`). The draft is written without one.

${table(['Code', 'Meaning'], rows(NO_SUSPECT))}`,
  );
}

function statesPage({ TRANSITIONS, RUN_STATES, WAITING_STATES, CLOSED_STATES }) {
  const kind = (state) => {
    if (WAITING_STATES.includes(state))
      return `waits for a reviewer at Gate ${state === 'staged_raw' ? 1 : 2}`;
    if (state === 'snoozed')
      return 'until a time, a number of crashes or a new release; then back to its gate';
    return CLOSED_STATES.includes(state) ? 'closed' : 'the engine is working';
  };
  const moves = Object.entries(TRANSITIONS).map(([name, { from, to }]) => [code(name), code(from), code(to)]);
  return page(
    'States of a run',
    'The states of a run and its transitions. Any other transition is rejected with `state_conflict`.',
    `${table(
      ['State', 'Meaning'],
      RUN_STATES.map((state) => [code(state), kind(state)]),
    )}\n${table(['Trigger', 'From', 'To'], moves)}`,
  );
}

function sanitisingPage(
  { TEXT_RULES, EMAIL, IP },
  { ISSUER_TOKENS },
  { KEY_NAMES, KEY_NAME_PAIRS, ABOUT_NAMES },
  { ENCODINGS },
  { DENIED_FILES },
) {
  const rules = [...TEXT_RULES, EMAIL, IP].map(({ id, what, source }) => [code(id), what, source]);
  const listed = LISTED.filter(([, sample]) => sample === '-').map(([rule, , reason]) => [
    code(rule),
    reason,
  ]);
  const tokens = ISSUER_TOKENS.map(({ id, what, source }) => [code(id), what, source]);
  const denied = DENIED_FILES.map(({ what, examples }) => [what, examples.split(' ').map(code).join(', ')]);
  const encodings = ENCODINGS.map(({ what, source }) => [what, source]);
  const kinds = new Map();
  for (const [name, kind] of [...KEY_NAMES, ...KEY_NAME_PAIRS]) {
    kinds.set(kind, [...(kinds.get(kind) ?? []), code(name)]);
  }
  return page(
    'Sanitising',
    `What is redacted in every crash before it is stored, and again in everything that Culprit sends out. Only the match is replaced:
\`card 4111… declined\` becomes \`card [redacted:card] declined\`. \`culprit scrub FILE\` shows what would be redacted and why.
Names are matched by words: \`auth\` is sensitive, \`author\` is not.

\`SCRUB_EMAIL=0\` keeps e-mail addresses; \`SCRUB_IP\` sets where IP addresses are redacted. Add custom rules to \`culprit.json\`
of both servers. Their quantifiers must be bounded, so that no input makes them slow:

\`\`\`json
{ "scrub": { "rules": [{ "id": "ticket", "what": "Ticket numbers", "pattern": "\\\\bTCK-\\\\d{1,12}\\\\b" }] } }
\`\`\`

For an embedded engine, use \`createEngine({ scrub: { email, ip, rules } })\`. The rules apply to incoming crashes, prompts,
drafts, reviewers' edits and chat messages. They are stored in the evidence for replays. Responses of the code host are stored in
the evidence unchanged.`,
    `## In every text

${table(['Id', 'What', 'Source'], rules)}
## In everyday encodings

Every rule above also sees a text decoded, up to four times, so that a secret is found in \`q=%2522…\`, in JSON within JSON and
between the colours of a terminal. Only the secret is replaced; the rest of the text stays encoded. Spaces, hyphens and invisible
characters outside ASCII are read as their ASCII forms.

${table(['Form', 'Source'], encodings)}
${SANITISING.planted.toLocaleString('en')} secrets, of every issuer, in all these forms and at every place (message, value, header, query, variable, context line,
breadcrumb, tag, extra, commit title, diff, author, path), are taken through a whole engine: ${SANITISING.kept} are in the stored event, the
draft or the issue. In ${SANITISING.ordinary} ordinary crashes, stack traces and frames, ${SANITISING.redacted} parts are redacted, ${SANITISING.wrongly} of them
wrongly. \`encodings.test.ts\` and \`encodings.full.test.ts\` check these figures.

Base64 is not decoded, and a line from the middle of a private key is redacted only where the key's first or last line is near.

## What a document may cost

Checking a document may take a fixed number of steps for each of its characters, so that no crash costs the edge more than about 20
times as much as an ordinary one of its size. Ordinary crashes stay far below. When the steps end, the rest of the text, and every other
text of the document that may hold a secret, is replaced by \`[redacted:unchecked]\`. Custom rules count by their matches only; keep
their bounds small.

## Tokens of well-known issuers

${table(['Id', 'What', 'Source'], tokens)}
## What is not found

The measure is the list of [gitleaks](https://github.com/gitleaks/gitleaks) 8.30: a test redacts a sample of each of its ${SANITISING.listed} rules,
except for these ${SANITISING.listedPublic}:

${table(['Rule', 'Why not'], listed)}
Many of the other rules find a secret only by the name next to it (\`DATADOG_KEY=…\`), because its value looks like any other text. Such a value
without a name stays, as do a password in a sentence, and the members of a Kubernetes \`Secret\` that is an object and not a text.

## Under a sensitive name

The whole value is redacted, including nested values. Other forms of a name match too: \`X-Api-Key\`, \`apiKey\`,
\`API_KEY\`; names that contain \`password\` or \`passwd\`, end in \`secret\` or \`token\`, or are like \`db_pw\`, \`dbpass\` or \`password2\`.

${table(
  ['Id', 'Names'],
  [...kinds].map(([kind, names]) => [code(kind), names.join(', ')]),
)}
A name with one of these endings describes a secret and is not redacted: ${ABOUT_NAMES.map(code).join(', ')}.

## Files whose lines are never shown

No line of these files appears in a prompt, a draft, a fix brief or a code page, regardless of its content. Capitals, backslashes,
percent-encoding and the endings of backups make no difference. Code and documents with such a name, such as \`src/secrets.ts\`, are
ordinary files; their lines are sanitised.

${table(['What', 'Such as'], denied)}`,
  );
}
