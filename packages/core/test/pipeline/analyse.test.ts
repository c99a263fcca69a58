import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import type { EvidenceBundle } from '../../src/domain/evidence.js';
import { CulpritError } from '../../src/errors/error.js';
import { type AnalysisParts, type AnalysisStep, analyse } from '../../src/pipeline/analyse.js';
import { placeFrames } from '../../src/pipeline/evidence/placed-frames.js';
import { replay } from '../../src/pipeline/evidence/replay.js';
import type { CodeHost } from '../../src/ports/code-host.js';
import type { Explainer } from '../../src/ports/explainer.js';
import { makeFrame } from '../../src/testing/builders.js';
import { makeEvent, manualClock } from '../../src/testing/index.js';
import { type MemoryCodeHostOptions, memoryCodeHost } from '../../src/testing/memory-code-host.js';
import { CULPRIT_TITLE, LONG_SHOP, SHOP, shopInput } from './shop-history.js';

const saying: Explainer = {
  name: 'saying',
  explain: async ({ evidence }) => {
    const item = evidence.find(({ id }) => id.startsWith('frame:')) ?? evidence[0];
    const cites = [{ evidence: item?.id ?? '', quote: item?.text.slice(0, 10) ?? '' }];
    const claims = [{ text: 'It failed there.', cites }];
    return { source: 'model', model: 'test', claims, insufficient: false, note: null };
  },
};

function partsOf(codeHost: CodeHost | null, more: Partial<AnalysisParts> = {}): AnalysisParts {
  return {
    codeHost,
    ...{ explainers: [saying], explainMs: 60_000 },
    clock: manualClock(),
    signal: new AbortController().signal,
    ...more,
  };
}
const shop = (options: MemoryCodeHostOptions = {}) =>
  memoryCodeHost(LONG_SHOP, { releases: { 'shop@1.4.0': 'Say more in the README' }, ...options });
const failing = (codes: Partial<Record<keyof CodeHost, CulpritError>>) =>
  shop({
    before: (method) => {
      const error = codes[method];
      if (error) throw error;
    },
  });

t.test('ranks the culprit first despite a formatting commit, a rename and a later edit', async (t) => {
  for (const ignored of [['Format everything'], []]) {
    const steps: AnalysisStep[] = [];
    const host = shop({ ignored });
    const result = await analyse(shopInput(), partsOf(host, { onStep: (step) => steps.push(step) }));
    const [first, second] = result.suspects;
    t.equal(first?.title, CULPRIT_TITLE);
    t.equal(first?.author.name, 'Chidi');
    t.not(first?.verdict, 'recent');
    t.ok((first?.probability ?? 0) > 2 * (second?.probability ?? 1), 'clearly');
    t.equal(first?.reasons[0]?.text, 'last changed line 11 of `src/cart.js`, the crashed line');
    t.match(first?.reasons[0], { code: 'last_changed_line', path: 'src/cart.js', line: 11, role: 'crashed' });
    t.match(first?.reasons[1], { code: 'moved_from', from: 'lib/cart.js', to: 'src/cart.js' });
    t.match(first?.reasons[2]?.text, /^precedes formatting commit `[0-9a-f]{7}`, which was skipped$/);
    t.notOk(result.suspects.some(({ title }) => title === 'Format everything'));
    t.ok(first?.hunk?.lines.some(({ crashed, kind }) => crashed && kind === 'added'));
    const sum = Object.values(first?.components ?? {}).reduce((total, part) => total + part, 0);
    t.ok(Math.abs(sum - (first?.score ?? 0)) < 0.001);
    t.strictSame(result.revision, { sha: host.sha('Say more in the README'), how: 'release' });
    t.equal(result.no_suspect, null);
    t.strictSame(
      steps.map(({ name }) => name),
      ['tree', 'locate', 'blame', 'rank', 'owners', 'explain', 'compose'],
    );
    const { body, labels } = result.draft;
    t.strictSame(labels, ['culprit', `suspect:${first?.verdict}`]);
    t.match(body, `/src/cart.js#L11)`);
    t.match(body, /\n\+ +sum \+= item\.price\.amount \* .* ◀ crashed line\n/);
    t.match(body, '`It failed there.`');
    t.match(body, '`Price items in several currencies`');
  }
});

t.test('ranks by the wrapped exception, but not by one that was being handled', async (t) => {
  const input = shopInput();
  const [cause] = input.event.exceptions;
  const wrapper = {
    type: 'CheckoutError',
    value: 'no total',
    module: null,
    handled: false,
    synthetic: false,
    mechanism: null,
    frames: [makeFrame({ file: '/srv/shop/src/server.js', function: 'module.exports', line: 3 })],
  };
  const chained = (mechanism: { source: string } | null) => ({
    ...input,
    event: makeEvent({
      exceptions: cause ? [{ ...cause, mechanism }, wrapper] : [],
      release: 'shop@1.4.0',
    }),
  });
  const wrapped = await analyse(chained(null), partsOf(shop()));
  t.equal(wrapped.suspects[0]?.title, CULPRIT_TITLE);
  t.match(wrapped.suspects[0]?.reasons[0], { path: 'src/cart.js', line: 11, role: 'cause_thrown' });
  t.strictSame(wrapped.suspects[0]?.frames, [], 'its frames are not those of the crash');
  t.match(wrapped.draft.body, 'Crashed in `module.exports` at [`src/server.js:3`]');
  const handled = await analyse(chained({ source: '__context__' }), partsOf(shop()));
  t.ok(handled.suspects[0]?.reasons.some((one) => 'path' in one && one.path === 'src/server.js'));
  t.notOk(handled.suspects.some(({ reasons }) => reasons.some(({ text }) => text.includes('cause'))));
});

t.test('a frame past the end of its file is not placed; the next one is', async (t) => {
  const input = shopInput();
  const [exception] = input.event.exceptions;
  const crashedAt = (...frames: readonly ReturnType<typeof makeFrame>[]) => {
    const exceptions = exception ? [{ ...exception, frames }] : [];
    return { ...input, event: makeEvent({ exceptions, release: 'shop@1.4.0' }) };
  };
  const server = makeFrame({ file: '/srv/shop/src/server.js', function: 'module.exports', line: 3 });
  const beyond = makeFrame({ file: '/srv/shop/src/cart.js', function: 'total', line: 900 });
  const { draft, suspects, evidence } = await analyse(crashedAt(server, beyond), partsOf(shop()));
  t.match(draft.body, 'Crashed in `module.exports` at [`src/server.js:3`]');
  t.match(draft.body, /1\. `\/srv\/shop\/src\/cart\.js:900` in `total`\n2\. .*server\.js:3.*crashed here/);
  t.notMatch(draft.body, 'cart.js#L900', 'no link to a line that does not exist');
  t.notOk(suspects.some(({ reasons }) => reasons.some((one) => 'path' in one && one.path === 'src/cart.js')));
  t.strictSame(
    placeFrames(evidence, (text) => text).frames.map(({ path, line }) => `${path}:${line}`),
    ['src/server.js:3'],
  );
  const none = await analyse(crashedAt(beyond), partsOf(shop()));
  t.match(none.no_suspect, { code: 'no_mapped_frame', detail: /past the end of their files/ });
  t.notMatch(none.draft.body, 'crashed here');
});

t.test('maps a bundle to its sources with the source map in the repository', async (t) => {
  const input = shopInput();
  const [exception] = input.event.exceptions;
  const bundled = (column: number) => ({
    ...input,
    event: makeEvent({
      exceptions: exception
        ? [
            {
              ...exception,
              frames: [
                makeFrame({
                  file: 'https://shop.example/assets/app-3f2.js?v=1',
                  function: 'a',
                  line: 1,
                  column,
                }),
              ],
            },
          ]
        : [],
      release: 'shop@1.4.0',
    }),
  });
  const built = (map: string) =>
    memoryCodeHost(
      [
        ...SHOP,
        {
          title: 'Build',
          at: '2026-01-05T08:00:00.000Z',
          write: { 'public/assets/app-3f2.js': 'a()', 'public/assets/app-3f2.js.map': map },
        },
      ],
      { releases: { 'shop@1.4.0': 'Build' } },
    );
  const map = JSON.stringify({
    version: 3,
    sources: ['../../src/cart.js', 'webpack://shop/./src/server.js'],
    names: ['total'],
    mappings: 'AAUAA,kBCRA',
  });
  const result = await analyse(bundled(1), partsOf(built(map)));
  t.equal(result.suspects[0]?.title, CULPRIT_TITLE);
  t.match(result.draft.body, '/src/cart.js#L11)');
  const evidence = JSON.parse(JSON.stringify(result.evidence));
  const asked: { method: string; request: unknown }[] = evidence.calls;
  t.strictSame(
    asked.filter(({ request }) => JSON.stringify(request).includes('.map')).map(({ method }) => method),
    ['originals'],
    'evidence contains the looked-up positions, not the map',
  );
  t.equal((await replay(evidence)).draft.digest, result.draft.digest);
  const stack = placeFrames(evidence, (text) => text);
  t.match(stack, {
    frames: [{ frame: 0, path: 'src/cart.js', line: 11, how: /^(?:exact|suffix)$/, verified: null }],
    originals: [{ exception: 0, frame: 0, file: 'src/cart.js', line: 11, function: 'total', source: null }],
  });
  t.match(stack.frames[0]?.source?.lines.length, 9);
  t.equal(stack.missing_source_maps, undefined);
  const other = await analyse(bundled(40), partsOf(built(map)));
  t.match(other.draft.body, '/src/server.js#L3)');
  t.match(placeFrames(other.evidence, (text) => text).originals, [{ file: 'shop/src/server.js', line: 3 }]);
  for (const broken of ['{', '[]', '{"version":3,"sources":[null],"mappings":"!!"}', '<html>']) {
    const none = await analyse(bundled(1), partsOf(built(broken)));
    t.notMatch(none.draft.body, 'src/cart.js', broken);
  }
});

t.test('replay gives the same digest from the JSON alone, in any order of calls', async (t) => {
  const deaf: Explainer = { name: 'deaf', explain: async () => Promise.reject(new Error('off')) };
  const result = await analyse(shopInput(), partsOf(shop(), { explainers: [deaf, saying] }));
  t.match(result.explanation.note, 'The explainer deaf failed: off.');
  const kept: EvidenceBundle = JSON.parse(JSON.stringify(result.evidence));
  t.strictSame(kept, result.evidence, 'survives JSON');
  t.strictSame(Object.keys(kept.versions).sort(), [
    ...['culprit', 'draft', 'evidence', 'fingerprint', 'prompt', 'ranking'],
  ]);
  const again = await replay(kept);
  t.strictSame(again.draft, result.draft);
  t.strictSame(again.suspects, result.suspects);
  const code = kept.calls.filter(({ port }) => port === 'code_host');
  const explainers = kept.calls.filter(({ port }) => port === 'explainer');
  const shuffled = await replay({ ...kept, calls: [...explainers, ...code.reverse()] });
  t.equal(shuffled.draft.digest, result.draft.digest);
  t.strictSame(
    (await analyse(shopInput(), partsOf(shop(), { explainers: [deaf, saying] }))).evidence,
    result.evidence,
  );
  const tree = code.find(({ method }) => method === 'tree');
  t.notMatch(JSON.stringify(tree), 'README', 'paths that no frame could refer to are not stored');
  t.rejects(replay({ ...kept, calls: code.filter(({ method }) => method !== 'blame') }), {
    code: 'code_host_unavailable',
  });
});

t.test('produces the same bytes in any time zone and locale', async (t) => {
  const here = (await analyse(shopInput(), partsOf(shop()))).draft.digest;
  const script = `
    import t from 'node:assert';
    import { replay } from '@culprit/core/internal/pipeline/evidence/replay';
    let text = '';
    for await (const part of process.stdin) text += part;
    console.log((await replay(JSON.parse(text))).draft.digest, new Date(0).getHours(), (1234.5).toLocaleString());
  `;
  const bundle = JSON.stringify((await analyse(shopInput(), partsOf(shop()))).evidence);
  for (const [TZ, LANG] of [
    ['Asia/Kathmandu', 'de_DE.UTF-8'],
    ['America/St_Johns', 'ar_EG.UTF-8'],
  ]) {
    const env = { ...process.env, TZ, LANG, LC_ALL: LANG, NODE_OPTIONS: '' };
    const child = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
    child.child.stdin?.end(bundle);
    const { stdout } = await child;
    t.equal(stdout.split(' ')[0], here, `${TZ} ${LANG}`);
  }
});

t.test('writes a draft without a suspect and says why', async (t) => {
  const input = shopInput();
  const withFrames = (frames: ReturnType<typeof makeFrame>[]) => {
    const [exception] = input.event.exceptions;
    if (!exception) throw new Error('no exception');
    return shopInput({ event: makeEvent({ exceptions: [{ ...exception, frames }] }) });
  };
  const cases = [
    ['no_code_host', input, null],
    ['no_code_host', shopInput({ config: { ...input.config, repository: null } }), shop()],
    ['no_frames', shopInput({ event: makeEvent({ exceptions: [], message: 'it broke' }) }), shop()],
    ['no_mapped_frame', withFrames([makeFrame({ file: 'nowhere/else.js' })]), shop()],
    ['no_revision', input, failing({ tree: new CulpritError('revision_not_found', 'none') })],
    ['foreign_revision', input, failing({ tree: new CulpritError('revision_foreign', 'a fork') })],
    [
      'no_candidates',
      shopInput({
        incident: { ...input.incident, first_seen: '2020-01-01T00:00:00.000Z' },
        event: makeEvent({ ...input.event, timestamp: '2026-01-05T09:00:00.000Z' }),
      }),
      shop(),
    ],
  ] as const;
  for (const [code, given, host] of cases) {
    const { no_suspect, suspects, draft, evidence } = await analyse(given, partsOf(host));
    t.equal(no_suspect?.code, code);
    t.strictSame(suspects, []);
    t.match(draft.body, 'No suspect.');
    t.strictSame(draft.labels.slice(0, 2), ['culprit', 'suspect:none']);
    t.equal(
      (await replay(JSON.parse(JSON.stringify(evidence)))).draft.digest,
      draft.digest,
      `${code} replays`,
    );
  }
  const dated = { first_seen: '2020-01-01T00:00:00.000Z', first_crash_at: '2026-01-05T09:00:00.000Z' };
  const { suspects } = await analyse(
    shopInput({ incident: { ...input.incident, ...dated } }),
    partsOf(shop()),
  );
  t.ok(suspects.length > 0, 'first_crash_at decides where the run has one');
  const missing = memoryCodeHost(SHOP);
  const host: CodeHost = {
    ...missing,
    blame: async (repository, sha, paths, signal) => {
      const blame = await missing.blame(repository, sha, paths, signal);
      const files = blame.files.map((file) => ({
        ...file,
        status: 'failed' as const,
        detail: 'too slow',
        ranges: [],
      }));
      return { ...blame, files };
    },
  };
  t.match((await analyse(input, partsOf(host))).no_suspect, { code: 'blame_failed', detail: /too slow/ });
});

t.test('fails if the code host is unavailable, but not on a partial failure', async (t) => {
  for (const code of ['code_host_unavailable', 'code_host_forbidden', 'repository_not_found'] as const) {
    const error = new CulpritError(code, 'down');
    await t.rejects(analyse(shopInput(), partsOf(failing({ tree: error }))), { code });
    await t.rejects(analyse(shopInput(), partsOf(failing({ blame: error }))), { code });
  }
  const down = new CulpritError('code_host_unavailable', 'down');
  for (const hole of [{ diff: down }, { commits: down }, { diff: down, commits: down }]) {
    const { suspects, draft, evidence } = await analyse(shopInput(), partsOf(failing(hole)));
    t.ok(suspects.length > 0);
    t.equal((await replay(JSON.parse(JSON.stringify(evidence)))).draft.digest, draft.digest);
  }
  const stop = new AbortController();
  const hung: CodeHost = { ...shop(), diff: () => new Promise(() => {}) };
  const started = analyse(shopInput(), partsOf(hung, { signal: stop.signal }));
  setImmediate(() => stop.abort(new Error('time is over')));
  await t.rejects(started, { code: 'code_host_unavailable' });
});

t.test('explainers: slow, wrong and missing', async (t) => {
  const clock = manualClock();
  const hung: Explainer = { name: 'hung', explain: () => new Promise(() => {}) };
  const liar: Explainer = {
    name: 'liar',
    explain: async () => ({
      source: 'model',
      model: 'm',
      claims: [{ text: 'x', cites: [{ evidence: 'run', quote: 'never said' }] }],
      insufficient: false,
      note: null,
    }),
  };
  const running = analyse(shopInput(), partsOf(shop(), { clock, explainers: [hung, liar, saying] }));
  await clock.untilSleeping();
  await clock.advance(60_000);
  const { explanation, draft, evidence } = await running;
  t.equal(clock.sleeping(), 0, 'no timer is left');
  t.match(
    explanation.note,
    /The explainer hung failed: no response within 60 s\. The explainer liar .* none of its quotes/,
  );
  t.equal(explanation.claims.length, 1);
  t.match(draft.body, 'no response within 60 s');
  t.equal((await replay(JSON.parse(JSON.stringify(evidence)))).draft.digest, draft.digest);
  const none = await analyse(shopInput(), partsOf(shop(), { explainers: [] }));
  t.strictSame(none.explanation, {
    source: 'template',
    model: null,
    claims: [],
    insufficient: true,
    note: null,
  });
  t.notMatch(none.draft.body, 'Explanation', 'no empty section');
});

t.test('applies the installation’s scrub rules to the draft, also on replay', async (t) => {
  const history = [
    {
      title: 'Pay TCK-100',
      author: 'Ada TCK-101',
      at: '2025-12-01T00:00:00.000Z',
      write: { 'src/a.js': "// TCK-102\nboom('TCK-103');\n" },
    },
  ];
  const frames = [makeFrame({ file: 'src/a.js', line: 2, function: 'pay_TCK-104', context_line: null })];
  const [exception] = shopInput().event.exceptions;
  if (!exception) throw new Error('no exception');
  const base = shopInput({
    event: makeEvent({
      exceptions: [
        { ...exception, type: 'Cause TCK-105' },
        { ...exception, value: 'bad TCK-106', frames },
      ],
      message: 'TCK-107',
      transaction: 'TCK-108',
      server_name: 'TCK-109',
      tags: { order: 'TCK-110' },
    }),
  });
  const input = {
    ...base,
    incident: { ...base.incident, title: 'bad TCK-111', releases: ['TCK-112'], environments: ['TCK-113'] },
  };
  const seen: string[] = [];
  const spy: Explainer = {
    name: 'spy',
    explain: async (request, signal) => {
      seen.push(JSON.stringify(request));
      return { ...(await saying.explain(request, signal)), note: 'see TCK-114' };
    },
  };
  const deaf: Explainer = { name: 'deaf', explain: async () => Promise.reject(new Error('no TCK-115')) };
  const parts = partsOf(memoryCodeHost(history), { explainers: [deaf, spy] });
  const left = ({ draft, suspects, explanation }: Awaited<ReturnType<typeof analyse>>) =>
    JSON.stringify([draft, suspects, explanation, seen]);
  t.match(left(await analyse(input, parts)), /TCK-1\d\d/, 'without the rule they are not redacted');
  seen.length = 0;
  const scrub = { rules: [{ id: 'ticket', pattern: 'TCK-\\d{1,6}' }] };
  const result = await analyse({ ...input, config: { ...input.config, scrub } }, parts);
  t.notMatch(left(result), /TCK-1\d\d/);
  t.match(left(result), '[redacted:ticket]');
  t.equal(result.suspects.length, 1);
  const kept: EvidenceBundle = JSON.parse(JSON.stringify(result.evidence));
  t.strictSame((await replay(kept)).draft, result.draft);
});
