import { code, page, table } from './markdown.mjs';

export function configurationPage({ SETTINGS, defaultText }, { EDGE_LIMIT_SETTINGS }, { HOSTS }) {
  const rows = Object.entries(SETTINGS).map(([key, row]) => [
    row.env === null ? '' : code(row.env),
    row.flag === undefined ? '' : code(`--${row.flag}`),
    code(key),
    row.type.format,
    defaultText(row),
    row.secret ? `${row.meaning} Secret: prints as \`[redacted]\`.` : row.meaning,
  ]);
  const limits = Object.entries(EDGE_LIMIT_SETTINGS).map(([name, { default: value, max, meaning }]) => [
    code(name),
    value,
    max === Number.MAX_SAFE_INTEGER ? '' : max,
    meaning,
  ]);
  const hosts = Object.values(HOSTS).map(({ addresses, scheme, titles, settings, guide }) => [
    `${addresses}, or ${code(`${scheme}…`)}`,
    titles.codeHost,
    titles.publisher,
    Object.values(settings)
      .map(({ env }) => code(env))
      .join(', '),
    `[guide](../${guide})`,
  ]);
  return page(
    'Configuration',
    `Flags override environment variables, which override \`culprit.json\` (or \`--config FILE\`), which overrides defaults. An unknown
member of the file is an error with a suggestion.

Relative paths in that file, and in its \`envFile\`, are relative to its folder; those in flags and variables, to the working directory. The
default data directory is \`.culprit\` beside the file that was read; without a file, or if only the working directory has such a directory, it is in the working directory.`,
    `${table(['Variable', 'Flag', 'In `culprit.json`', 'Format', 'Default', 'Meaning'], rows)}
## Repository addresses

The address selects the code host (\`REPOSITORY\`) and the publisher (\`PUBLISH_REPOSITORY\`, by default the same address), each
separately. An address for cloning, \`https://HOST/PATH\`, \`ssh://git@HOST/PATH\` or \`git@HOST:PATH\`, is understood where HOST is github.com,
gitlab.com, codeberg.org, or the server that a setting names. Each project has its own: one may have its code on disk and its issues on GitHub, the next both on GitHub.

${table(['Address', 'Code host', 'Publisher', 'Settings', 'Guide'], hosts)}
## Limits of the edge

The member \`limits\` of \`culprit.json\`, such as \`{"limits": {"keyRate": 100}}\`. An operator can change limits while the edge
runs.

${table(['Limit', 'Default', 'Maximum', 'Meaning'], limits)}`,
  );
}

export function checksPage({ CHECKS }) {
  const rows = Object.entries(CHECKS).map(([name, { looksAt, severity, remedy, later }]) => [
    code(name),
    looksAt,
    later ? `${severity}; not by \`up\`` : severity,
    remedy,
  ]);
  return page(
    'Checks',
    `\`culprit up\` makes these checks before it starts anything, \`culprit doctor\` when you run it, and core while it runs (Health). A failed check marked
\`refuse\` keeps \`up\` from starting (exit code 1) and fails \`doctor\`; both report one marked \`warn\`. Checks of a project other than \`default\` have its
name, as in \`repository of shop\`. \`doctor\` and Health also ask every connector, the sign-in provider and the storage.`,
    table(['Check', 'Looks at', 'A problem', 'What to do'], rows),
  );
}

const ACCESS = { open: 'none', reviewer: 'reviewer', internal: 'INTERNAL_GATEWAY_SECRET' };

export function routesPage(
  { coreRoutes },
  { edgePaths, SHARED_PROBES },
  { SETTINGS },
  { composeIssueEvents },
) {
  const core = coreRouteList({ coreRoutes }, { composeIssueEvents }).map(
    ({ method, pattern, access, doc }) => [
      method,
      code(pattern),
      ACCESS[access],
      doc.summary,
      (doc.problems ?? []).map(code).join(', '),
    ],
  );
  const edge = Object.entries(edgePaths()).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, security }]) => [
      method.toUpperCase(),
      code(path.replace(/\{(\w+)\}/g, ':$1')),
      security.map((scheme) => Object.keys(scheme)[0] ?? 'none').join(', '),
      summary,
    ]),
  );
  for (const path of SHARED_PROBES) {
    const who = path === '/metrics' ? 'service' : 'none';
    edge.push(['GET', code(path), who, 'As on core']);
  }
  return page(
    'Routes',
    `A *reviewer* authenticates with \`Authorization: Bearer <token>\` or the board's session cookie. \`GET /openapi.json\` on
core describes all bodies and responses. [Access](access.md) has the scope that each route needs.
*Errors* below are those of the route itself; \`/openapi.json\` also has those of every route, such as \`unauthenticated\`, and of
every route for reviewers below \`/api/v1/\`: \`malformed\`, for a parameter or a member that is unknown or wrong.`,
    `## Edge (Server A, port ${SETTINGS.edgePort.default})\n\n${table(['Method', 'Path', 'Credential', 'Purpose'], edge)}
## Core (Server B, port ${SETTINGS.corePort.default})\n\n${table(['Method', 'Path', 'Credential', 'Purpose', 'Errors'], core)}`,
  );
}

/** Every route of core. */
export function coreRouteList({ coreRoutes }, { composeIssueEvents }) {
  return coreRoutes(stubParts({ issueWebhooks: composeIssueEvents(null) }));
}

/** Core's OpenAPI document, without a core. `modules`: with the exports of its routes, `openapi.ts` and the webhooks of hosts. */
export function openApiOf(modules) {
  return modules.openApiDocument(coreRouteList(modules, modules), 'https://culprit.example');
}

/** Routes are closures over their parts; listing them uses only the webhooks of hosts. */
function stubParts(used) {
  return new Proxy(used, { get: (parts, name) => parts[name] ?? {} });
}

export function livePage({ liveMessageSchema }, { LIVE_CLOSE, LIVE_VERSION }) {
  const messages = liveMessageSchema.options.map(({ entries }) => {
    const rows = Object.entries(entries).map(([name, schema]) => [
      code(name),
      typeOf(schema),
      describe(schema),
    ]);
    return `## ${code(entries.type.literal)}\n\n${table(['Member', 'Type', 'Meaning'], rows)}`;
  });
  const closes = Object.entries(LIVE_CLOSE).map(([name, number]) => [number, code(name)]);
  return page(
    'Live feed',
    `\`GET /api/v1/live\` is a WebSocket that sends JSON, version ${LIVE_VERSION}. After connecting, a client receives a \`snapshot\`, then a
\`run\` for every change. Messages are numbered without gaps. \`?since=epoch.sequence\` resumes after the last number received; if that
is no longer possible, the client receives a snapshot with \`reset: true\`. The store assigns the numbers, so they survive a restart of
the process. \`?version=${LIVE_VERSION}\` requests this version; a core with another version rejects it. Members and message types may be added
within a version; ignore those that you do not know. A \`beat\` every five seconds distinguishes a quiet feed from a dead connection.

\`?topics=state:staged_raw,project:shop,run:run_1\` (at most 20) subscribes to runs that match any of the topics. The snapshot then
contains only those runs, and numbers have gaps. A client that follows a state also receives a run that leaves it, and occasionally
one that was never in it. A client with more than 2 MiB of unread messages is closed with 4008 and resumes with \`since\`. One whose
session the sign-in provider has to confirm again is closed with 4009 and resumes in the same way; it is refused if the session has ended.

\`connectLive\` from \`@culprit/client/live\` does all of this: it reconnects, resumes, reads the pages that did not fit into the
snapshot, and reports a reset.`,
    `${messages.join('\n')}
\`RunSummary\` is a run as listed by \`GET /api/v1/runs\`. \`GET /openapi.json\`, which needs a token, contains the JSON Schema
of both (\`LiveMessage\`).

## Close codes

${table(['Code', 'Reason'], [[1001, 'core is closing'], ...closes])}`,
  );
}

function typeOf(schema) {
  const inner = schema.pipe?.[0] ?? schema;
  if (inner.type === 'literal') return code(JSON.stringify(inner.literal));
  if (inner.entries?.run_id !== undefined) return '`RunSummary`';
  if (inner.type !== 'array') return inner.type;
  return inner.item.entries?.run_id === undefined ? 'objects' : '`RunSummary` objects';
}

function describe(schema) {
  if (typeOf(schema) === '`RunSummary`') return 'The run after the change, including runs that it closed.';
  return schema.pipe?.find(({ type }) => type === 'description')?.description ?? '';
}
