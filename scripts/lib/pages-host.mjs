import { code, page, table } from './markdown.mjs';

export function configurationPage({ SETTINGS }) {
  const rows = SETTINGS.map((setting) => [
    code(setting.env),
    setting.flag === undefined ? '' : code(`--${setting.flag}`),
    code(setting.key),
    setting.format,
    setting.fallback,
    setting.secret ? `${setting.meaning} Secret: prints as \`[redacted]\`.` : setting.meaning,
  ]);
  return page(
    'Configuration',
    `Flags over environment over \`culprit.json\` (or \`--config FILE\`) over defaults. An unknown member of the file is an
error with a suggestion. Several projects have the member \`projects\` in the file.`,
    table(['Variable', 'Flag', 'In `culprit.json`', 'Format', 'Default', 'Meaning'], rows),
  );
}

const ACCESS = { open: 'nothing', reviewer: 'reviewer', internal: 'INTERNAL_GATEWAY_SECRET' };

export function routesPage({ coreRoutes }, { edgePaths, SHARED_PROBES }) {
  const core = coreRoutes(stubParts()).map(({ method, pattern, access, doc }) => [
    method,
    code(pattern),
    ACCESS[access],
    doc.summary,
    (doc.problems ?? []).map(code).join(', '),
  ]);
  const edge = Object.entries(edgePaths()).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, security }]) => [
      method.toUpperCase(),
      code(path.replace(/\{(\w+)\}/g, ':$1')),
      security.map((scheme) => Object.keys(scheme)[0] ?? 'nothing').join(', '),
      summary,
    ]),
  );
  for (const path of SHARED_PROBES) {
    const who = path === '/metrics' ? 'service' : 'nothing';
    edge.push(['GET', code(path), who, 'As on core']);
  }
  return page(
    'Routes',
    `A *reviewer* is known by \`Authorization: Bearer <token>\` or the board's session cookie. Bodies and answers in
full: \`GET /openapi.json\` on core.`,
    `## Edge (Server A, port 8001)\n\n${table(['Method', 'Path', 'Credential', 'What'], edge)}
## Core (Server B, port 8000)\n\n${table(['Method', 'Path', 'Needs', 'What', 'Own problems'], core)}`,
  );
}

/** Routes are closures over their parts; to list them nothing of the parts is used. */
function stubParts() {
  return new Proxy({}, { get: () => ({}) });
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
    `\`GET /api/v1/live\` is a WebSocket that speaks JSON, version ${LIVE_VERSION}. On connect comes a \`snapshot\`, then a \`run\`
for every change, each with the next number. \`?since=epoch.sequence\` resumes after the last number seen; if that is no
longer possible a snapshot with \`reset: true\` comes instead. The numbers are the store's: they survive a restart of the
process. \`?version=${LIVE_VERSION}\` asks for these messages: a core that speaks another version refuses. Members may be added
within a version; readers leave alone what they do not know.

\`?topics=state:staged_raw,project:shop,run:run_1\` (at most 20) tells only of these, any of them being enough, and the snapshot
holds only their runs; numbers are left out then. Who follows a state also hears of a run that leaves it, and now and then of one
that was never in it. A reader for whom more than 2 MiB wait is closed with 4008 and comes back with \`since\`.

\`connectLive\` of \`@culprit/host/live-client\` does all that: it reconnects, resumes, reads the pages that a snapshot had no
room for, and tells when it was reset.`,
    `${messages.join('\n')}
\`RunSummary\` is a run as \`GET /api/v1/runs\` lists it; both are in \`GET /openapi.json\` as JSON Schema (\`LiveMessage\`).

## Close codes

${table(['Code', 'Why'], [[1001, 'core is closing'], ...closes])}`,
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
  return schema.pipe?.find(({ type }) => type === 'description')?.description ?? '';
}
