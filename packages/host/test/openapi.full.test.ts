import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import t from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { refuseApi, walkApi } from './support/api-walk.js';
import { coreBench, TOKEN } from './support/core-bench.js';
import { conformance, type Json, mistakesOf, operationsOf } from './support/openapi-kit.js';
import { withModel } from './support/speaking-model.js';

t.setTimeout(600_000);

const home = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

t.test('the document is one of OpenAPI 3.1, by the schema of the specification', async (t) => {
  const bench = await coreBench();
  t.teardown(bench.close);
  const document = (await bench.api({ path: '/openapi.json' })).json;
  t.same(mistakesOf(document), []);
  const operation = document.paths['/api/v1/runs/{run_id}'].get;
  for (const [name, spoil] of Object.entries(MISTAKES)) {
    const spoilt = structuredClone(document);
    spoil(spoilt, spoilt.paths['/api/v1/runs/{run_id}'].get);
    t.not(mistakesOf(spoilt).length, 0, name);
  }
  t.equal(operation.operationId, 'getRun');
});

/** The check must find each of these. */
const MISTAKES: Readonly<Record<string, (document: Json, operation: Json) => void>> = {
  'a member of another name': (_, operation) => (operation.returns = {}),
  'a parameter without a place': (_, operation) => delete operation.parameters[0].in,
  'a schema that is none': (document) => (document.components.schemas.Run.properties.title.type = 'text'),
  'a format that is none': (document) => (document.externalDocs = { url: 'a b' }),
  'an answer without a description': (_, operation) => delete operation.responses[200].description,
  'a reference to nothing': (_, operation) =>
    (operation.responses[200].content['application/json'].schema = { $ref: '#/components/schemas/Walk' }),
  'a path without its parameter': (_, operation) => operation.parameters.shift(),
  'an unknown security scheme': (_, operation) => operation.security.push({ password: [] }),
  'an unknown tag': (_, operation) => (operation.tags = ['walks']),
  'a name twice': (_, operation) => (operation.operationId = 'listRuns'),
};

t.test('what core answers is what the description says, and so are its examples', async (t) => {
  const bench = await coreBench({ change: withModel });
  t.teardown(bench.close);
  const document = (await bench.api({ path: '/openapi.json' })).json;
  const operations = operationsOf(document);
  const wrong = conformance(document);
  const seen = await walkApi(bench, operations);
  for (const { id, body, answer } of seen) {
    const { requestBody, responses } = operations[id];
    const media = responses[answer.status]?.content?.['application/json'];
    t.ok(answer.status < 300, `${id}: ${answer.status} ${answer.text.slice(0, 300)}`);
    t.ok(responses[answer.status], `${id}: ${answer.status} is described`);
    if (media !== undefined) t.equal(wrong(media.schema, answer.json), null, id);
    if (body === undefined) continue;
    t.equal(wrong(requestBody.content['application/json'].schema, body), null, `${id}: its body`);
  }
  t.ok(new Set(seen.map(({ id }) => id)).size > 40, 'nearly every operation');
  const first = seen.find(({ id }) => id === 'approveGateTwo')?.path.run_id ?? '';
  const ofCore = Object.entries(operations).filter(([, { tags }]) => !tags.includes('edge'));
  const refused = await refuseApi(bench, Object.fromEntries(ofCore), first);
  const met = new Set([...seen, ...refused].map(({ id, answer }) => `${id} ${answer.status}`));
  const without = (wanted: (status: number) => boolean) =>
    ofCore
      .filter(([id, { responses }]) => {
        const statuses = Object.keys(responses).map(Number).filter(wanted);
        return statuses.length > 0 && !statuses.some((status) => met.has(`${id} ${status}`));
      })
      .map(([id]) => id);
  t.same(without((status) => status < 300).sort(), [...SUCCEED_ELSEWHERE].sort());
  t.same(
    without((status) => status >= 400),
    [],
  );
  t.same(
    without((status) => status === 422),
    [],
    'every key once',
  );

  const bare: string[] = [];
  for (const [id, { path, tags, summary, requestBody, responses }] of Object.entries(operations)) {
    t.match(id, /^[a-z][A-Za-z]+$/);
    t.ok(tags.length === 1 && summary.length > 0, `${id} has a tag and a summary`);
    const media = [requestBody, ...Object.values(responses)]
      .flatMap((one: Json) => [
        one?.content?.['application/json'],
        one?.content?.['application/problem+json'],
      ])
      .filter((one: Json) => one?.schema !== undefined);
    for (const { schema, example, examples } of media) {
      const all = [example, ...Object.values(examples ?? {}).map(({ value }: Json) => value)];
      const given = all.filter((one) => one !== undefined);
      if (given.length === 0) bare.push(`${id} ${path}`);
      for (const one of given) t.equal(wrong(schema, one), null, `${id}: its example`);
    }
  }
  for (const [type, { post }] of Object.entries<Json>(document.webhooks)) {
    const { schema, example } = post.requestBody.content['application/json'];
    t.equal(example?.type, type);
    t.equal(wrong(schema, example), null, `${type}: its example`);
  }
  const unnamed = Object.entries<Json>(operations).flatMap(([id, { parameters = [] }]) =>
    parameters.filter((one: Json) => !one.description).map((one: Json) => `${id} ${one.name}`),
  );
  t.same(unnamed, [], 'parameters without a description');
  const { requestBody, responses } = operations.callMcp;
  t.equal(requestBody.content['application/json'].example.method, 'tools/call');
  t.ok(responses[200].content['application/json'].example.result);
  t.ok(responses[200].content['text/event-stream']);
  t.same(
    bare.filter((one) => seen.some(({ id }) => one.startsWith(`${id} `))),
    [],
    'bodies and answers without an example',
  );
});

t.test(
  'a client that another program generates from the description works, in strict TypeScript',
  async (t) => {
    const bench = await coreBench();
    t.teardown(bench.close);
    const id = await bench.stage();
    const folder = temporaryFolder(t, 'openapi');
    writeFileSync(join(folder, 'openapi.json'), (await bench.api({ path: '/openapi.json' })).text);
    const guide = readFileSync(join(home, 'docs/guides/api.md'), 'utf8');
    const command = /^npx -y -p @hey-api\/openapi-ts@(\S+) -p typescript@(\S+) openapi-ts (.+)$/m;
    const [, generator, typescript, args = ''] = command.exec(guide) ?? [];
    const { devDependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
    const installed = [devDependencies['@hey-api/openapi-ts'], devDependencies.typescript];
    t.same([generator, typescript], installed, 'the guide names the versions that are tested');
    const bin = join(home, 'node_modules/@hey-api/openapi-ts/bin/run.js');
    await run(process.execPath, [bin, ...args.split(' ')], { cwd: folder });
    writeFileSync(join(folder, 'main.ts'), PROGRAM);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const tsc = join(home, 'node_modules/typescript-7/bin/tsc');
    const roots = ['--typeRoots', join(home, 'node_modules/@types'), '--types', 'node'];
    const main = join(folder, 'main.ts');
    const compiled = await run(process.execPath, [tsc, ...STRICT.split(' '), ...roots, main], {
      cwd: folder,
    }).catch((error: { readonly stdout: string }) => error);
    t.equal(compiled.stdout, '', 'it compiles');
    const program = join(folder, 'main.mjs');
    await build({
      entryPoints: [main],
      outfile: program,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'silent',
    });
    const { stdout } = await run(process.execPath, [program, bench.core.url, TOKEN, id]);
    t.match(JSON.parse(stdout), {
      state: 'staged_raw',
      comments: 1,
      refused: { code: 'idempotency_mismatch', status: 422 },
      analysed: { status: 'analyzed' },
      title: 'Written by a generated client',
      issue: String,
      missing: 'run_not_found',
    });
  },
);

/** What this walk does not do is done, with every answer compared, by the tests of sign-in, webhooks, releases, source maps, MCP and chat; `startInvestigation` needs a model. */
const SUCCEED_ELSEWHERE = `
  callMcp endSession followLiveFeed getAsset getSourceFile handOffRun receiveProviderLogout receiveSlackInteraction recordDeliveries
  makeSignInLink getSignInLinkHolder retryNotification signIn
  startInvestigation
  createWebhook deleteWebhook getWebhook listDeadDeliveries listWebhooks resendDeadDeliveries rotateWebhookSecret testWebhook
  updateWebhook verifyHistories
  deleteRelease getRelease listReleases recordDeploy recordRelease sentryCreateDeploy sentryCreateProjectRelease sentryCreateRelease
  sentryDeleteProjectRelease sentryDeleteRelease sentryGetPreviousRelease sentryGetProjectRelease sentryGetRelease sentryListDeploys
  sentryListProjectReleaseCommits sentryListProjectReleases sentryListReleaseCommits sentryUpdateProjectRelease sentryUpdateRelease
  deleteSourceMaps listSourceMaps sentryAssembleArtifacts sentryUploadChunks
`
  .trim()
  .split(/\s+/);

const STRICT =
  '--noEmit --strict --target es2022 --module esnext --moduleResolution bundler --skipLibCheck --lib es2023,dom,dom.iterable';

const PROGRAM = `import {
  approveGateOne, approveGateTwo, commentOnRun, editDraft, getDraft, getRun, listRuns,
} from './client/index';
import { createClient } from './client/client/index';

const [url = '', token = '', run_id = ''] = process.argv.slice(2);
const client = createClient({ baseUrl: url, headers: { authorization: \`Bearer \${token}\` } });
const path = { run_id };
const sure = { client, path, throwOnError: true } as const;
const { data: page } = await listRuns({ client, query: { state: 'staged_raw', limit: 1 }, throwOnError: true });
const state: 'staged_raw' | string | undefined = page.runs[0]?.state;
const headers = { 'Idempotency-Key': '"generated-1"' };
await commentOnRun({ ...sure, headers, body: { comment: 'One.' } });
await commentOnRun({ ...sure, headers, body: { comment: 'One.' } });
const { error: refused } = await commentOnRun({ client, path, headers, body: { comment: 'Two.' } });
const { data: run } = await getRun(sure);
const { data: analysed } = await approveGateOne(sure);
const { data: draft } = await getDraft(sure);
const { data: edited } = await editDraft({
  ...sure,
  headers: { 'If-Match': \`"\${draft.digest}"\` },
  body: { title: 'Written by a generated client', body: draft.body },
});
const { data: published } = await approveGateTwo({ ...sure, headers: { 'If-Match': \`"\${edited.digest}"\` } });
const { error } = await getRun({ client, path: { run_id: 'run_none' } });
const issue = 'issue_url' in published ? published.issue_url : null;
process.stdout.write(JSON.stringify({
  state, comments: run.comments, refused, analysed, title: edited.title, issue, missing: error?.code,
}));
`;
