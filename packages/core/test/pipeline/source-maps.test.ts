import t from 'tap';
import { type AnalysisParts, analyse } from '../../src/pipeline/analyse.js';
import type { AnalysisInput } from '../../src/pipeline/analysis.js';
import { placeFrames } from '../../src/pipeline/evidence/placed-frames.js';
import { replay } from '../../src/pipeline/evidence/replay.js';
import { fingerprintEvent } from '../../src/pipeline/fingerprint/index.js';
import { normalise } from '../../src/pipeline/normalise/index.js';
import { hasBuiltFrames, missingBefore, missingMaps } from '../../src/pipeline/source-maps/missing-maps.js';
import type { CodeHost } from '../../src/ports/code-host.js';
import type { SourceMapOutcome, SourceMapQuery, SourceMaps } from '../../src/ports/source-maps.js';
import { makeDelivery, makeFrame } from '../../src/testing/builders.js';
import { makeEvent, manualClock } from '../../src/testing/index.js';
import { memoryCodeHost } from '../../src/testing/memory-code-host.js';
import { CRASHED_LINE, CULPRIT_TITLE, LATER_SOURCE, SHOP, shopInput } from './shop-history.js';

const ID = '7eee3f7c-e6fc-5336-b284-2233eb25de5d';
const URL = 'https://shop.example/assets/app-3f2a91bc.js';
const lines = LATER_SOURCE.split('\n');
const shown = (text: string) => text;

function partsOf(codeHost: CodeHost | null, sourceMaps: SourceMaps | null): AnalysisParts {
  const signal = new AbortController().signal;
  return { codeHost, sourceMaps, explainers: [], explainMs: 60_000, clock: manualClock(), signal };
}

function minified(overrides: Partial<AnalysisInput> = {}): AnalysisInput {
  const input = shopInput(overrides);
  const [exception] = input.event.exceptions;
  const frame = (column: number, name: string) =>
    makeFrame({ file: URL, function: name, line: 1, column, context_line: 'x'.repeat(900), debug_id: ID });
  if (exception === undefined) throw new Error('the shop’s crash has an exception');
  const frames = [frame(20, 'r'), frame(7, 'e')];
  return { ...input, event: { ...input.event, exceptions: [{ ...exception, frames }] } };
}

const found: readonly SourceMapOutcome[] = [
  {
    status: 'mapped',
    original: {
      source: '../../src/cart.js',
      line: CRASHED_LINE,
      name: 'amount',
      context: { from: 1, lines },
    },
  },
  {
    status: 'mapped',
    original: { source: 'webpack://shop/./src/server.js', line: 3, name: 'total', context: null },
  },
];
const answering = (outcomes: readonly SourceMapOutcome[], asked: SourceMapQuery[] = []): SourceMaps => ({
  async originals(query) {
    asked.push(query);
    return outcomes;
  },
});
const shop = () => memoryCodeHost(SHOP, { releases: { 'shop@1.4.0': 'Say more in the README' } });

t.test('an uploaded source map leads from a minified frame to the suspect, and is replayed', async (t) => {
  const asked: SourceMapQuery[] = [];
  const input = minified();
  const result = await analyse(input, partsOf(shop(), answering(found, asked)));
  t.equal(result.suspects[0]?.title, CULPRIT_TITLE);
  t.match(asked, [
    {
      project: 'default',
      release: 'shop@1.4.0',
      frames: [
        { names: [URL], debug_id: ID, line: 1, column: 7 },
        { names: [URL], column: 20 },
      ],
    },
  ]);
  t.match(result.draft.body, `src/cart.js#L${CRASHED_LINE}`);
  t.match(result.draft.body, '`total`', 'the caller’s place names the function');
  t.notMatch(result.draft.body, 'app-3f2a91bc');
  t.strictSame(result.evidence.event, input.event, 'the evidence keeps the event as reported');
  const bundle = JSON.parse(JSON.stringify(result.evidence));
  t.equal((await replay(bundle)).draft.digest, result.draft.digest);
  const stack = placeFrames(bundle, shown);
  t.match(stack.frames[0], { path: 'src/cart.js', line: CRASHED_LINE, verified: true });
  t.match(stack.originals, [
    { frame: 0, file: 'shop/src/server.js', line: 3, source: null },
    { exception: 0, frame: 1, file: 'src/cart.js', function: 'total', source: { from: CRASHED_LINE - 4 } },
  ]);
  t.equal(stack.missing_source_maps, undefined);
});

t.test('a frame is as sure as it is when it is reported plainly', async (t) => {
  const [exception] = minified().event.exceptions;
  const silent = { ...minified().event, exceptions: [] as never[] };
  const crash = (context_line: string | null) => ({
    ...minified(),
    event: {
      ...silent,
      exceptions: [{ ...exception, frames: exception?.frames.map((one) => ({ ...one, context_line })) }],
    } as AnalysisInput['event'],
  });
  const placed = async (
    context_line: string | null,
    outcomes: readonly SourceMapOutcome[],
    more: Partial<AnalysisInput['event']> = {},
  ) => {
    const input = crash(context_line);
    const sent = { ...input, event: { ...input.event, ...more } };
    const { evidence, suspects } = await analyse(sent, partsOf(shop(), answering(outcomes)));
    return { suspects, frame: placeFrames(evidence, shown).frames[0] };
  };
  const reported = await placed('x'.repeat(900), found);
  t.match(reported.frame, { line: CRASHED_LINE, verified: true });
  const unreported = await placed(null, found);
  t.match(unreported.frame, { line: CRASHED_LINE, verified: null });
  t.not(unreported.suspects[0]?.score, reported.suspects[0]?.score);
  const sdk = { name: 'sentry.javascript.node', version: '11.0.0' };
  const ofNode = await placed(null, found, { sdk, platform: 'node' });
  t.match(ofNode.frame, { line: CRASHED_LINE, verified: true }, 'it reads the lines of plain files');
  const ofBrowser = await placed(null, found, { sdk, platform: 'javascript' });
  t.match(ofBrowser.frame, { line: CRASHED_LINE, verified: null });
  const shifted = found.map((one) =>
    one.status === 'mapped' && one.original.context !== null
      ? {
          ...one,
          original: { ...one.original, line: CRASHED_LINE + 1, context: { from: 2, lines } },
        }
      : one,
  );
  t.match(
    (await placed(null, shifted)).frame,
    { line: CRASHED_LINE, verified: null },
    'the map of another commit still leads to the line',
  );
});

t.test('without the repository the source comes from the map; a failing map changes nothing', async (t) => {
  const alone = await analyse(minified(), partsOf(null, answering(found)));
  t.match(alone.draft.body, /`src\/cart\.js` in the uploaded source map:\n/);
  t.match(alone.draft.body, new RegExp(`> ${CRASHED_LINE} \\|`));
  const failing: SourceMaps = { originals: () => Promise.reject(new Error('the disk is gone')) };
  const failed = await analyse(minified(), partsOf(shop(), failing));
  const plain = await analyse(minified(), partsOf(shop(), null));
  t.equal(failed.no_suspect?.code, 'no_mapped_frame');
  t.match(
    failed.no_suspect?.detail,
    /^There is an unreadable source map for assets\/app-3f2a91bc\.js of release/,
  );
  t.notMatch(plain.no_suspect?.detail, /source map/);
  t.equal((await replay(failed.evidence)).draft.digest, failed.draft.digest);
  t.equal(placeFrames(plain.evidence, shown).missing_source_maps, undefined);
});

t.test('a missing source map is reported with the command that uploads it', async (t) => {
  const missing: readonly SourceMapOutcome[] = [{ status: 'no_map' }, { status: 'no_map' }];
  const result = await analyse(minified(), partsOf(shop(), answering(missing)));
  t.strictSame(placeFrames(result.evidence, shown).missing_source_maps, [
    {
      code: 'no_source_map',
      file: 'assets/app-3f2a91bc.js',
      release: 'shop@1.4.0',
      dist: null,
      command: 'culprit sourcemaps upload dist --release shop@1.4.0',
    },
  ]);
  t.match(result.draft.body, 'culprit sourcemaps upload dist --release shop@1.4.0');
  const commandOf = (overrides: Parameters<typeof makeEvent>[0], file = URL) => {
    const frames = [makeFrame({ file, line: 1, column: 5 })];
    return missingMaps(makeEvent(overrides), frames, [], () => ({ status: 'unmapped' }))[0]?.command;
  };
  for (const release of ['$(curl evil)', 'a b', '--delete', "'; rm -rf ~", 'x\u202e', 'a\nb', '`id`'])
    t.equal(commandOf({ release }), 'culprit sourcemaps upload dist --release RELEASE', release);
  t.equal(
    commandOf({ release: null, dist: '7', project: 'web' }),
    'culprit sourcemaps upload dist --dist 7 --project web',
  );
  for (const [file, folder] of [
    ['/srv/shop/build/server.js', 'build'],
    ['C:\\ci\\build\\shop\\out\\app.min.js', 'out'],
    ['/srv/.next/server/app.min.js', '.next'],
    ['https://shop.example/build/app.js', 'dist'],
    ['/srv/$(evil)/app.min.js', 'dist'],
  ] as const)
    t.equal(commandOf({ release: '1' }, file), `culprit sourcemaps upload ${folder} --release 1`, file);
  t.equal(commandOf({}, '/srv/shop/src/cart.js'), undefined, 'a file that people write');
  const located = [{ frame: 0, path: 'x', line: 1, function: null, how: 'exact', verified: null }] as const;
  const frames = [makeFrame({ file: '/srv/dist/server.js', line: 1, column: 5 })];
  t.same(
    missingMaps(makeEvent(), frames, located, () => ({ status: 'no_map' })),
    [],
    'a built file that is in the repository',
  );
});

t.test('before the analysis it is known which files of the crash have no source map', async (t) => {
  const { event } = minified();
  const { signal } = new AbortController();
  const asked: SourceMapQuery[] = [];
  const saying = (answers: readonly boolean[]): SourceMaps => ({
    originals: () => Promise.reject(new Error('no map is read')),
    async uploaded(query) {
      asked.push(query);
      return answers;
    },
  });
  t.match(await missingBefore(event, saying([false, false]), signal), [
    { code: 'no_source_map', file: 'assets/app-3f2a91bc.js', release: 'shop@1.4.0' },
  ]);
  t.match(asked, [{ release: 'shop@1.4.0', frames: [{ column: 7 }, { column: 20 }] }]);
  t.strictSame(await missingBefore(event, saying([true, true]), signal), []);
  t.strictSame(await missingBefore(shopInput().event, saying([]), signal), [], 'no built file');
  t.equal(await missingBefore(event, answering(found), signal), null);
  t.equal(await missingBefore(event, null, signal), null);
  t.ok(hasBuiltFrames(event));
  t.notOk(hasBuiltFrames(shopInput().event));
});

t.test('debug ids of the SDK’s images and of frames are kept, and change no fingerprint', async (t) => {
  const frames = (more: object = {}) => [
    { filename: '/srv/lib.js', lineno: 2, colno: 1, function: 'go' },
    { filename: URL, lineno: 1, colno: 7, function: 'e', ...more },
  ];
  const crash = (more: object, ofFrame: object = {}) => ({
    exception: { values: [{ type: 'Error', value: 'no', stacktrace: { frames: frames(ofFrame) } }] },
    ...more,
  });
  const images = [
    { type: 'sourcemap', code_file: URL, debug_id: ID.toUpperCase().replaceAll('-', '') },
    { type: 'sourcemap', code_file: '/srv/lib.js', debug_id: 'not an id' },
    { type: 'elf', code_file: '/srv/lib.js', debug_id: ID },
  ];
  const eventOf = (body: object) => normalise(makeDelivery({ crash: body as never }));
  const plain = eventOf(crash({}));
  for (const event of [eventOf(crash({ debug_meta: { images } })), eventOf(crash({}, { debug_id: ID }))]) {
    t.same(
      event.exceptions[0]?.frames.map(({ debug_id }) => debug_id),
      [undefined, ID],
    );
    t.same(fingerprintEvent(event), fingerprintEvent(plain));
  }
  for (const debug_meta of [null, 7, [], { images: 'x' }, { images: [null, 3, { type: 'sourcemap' }] }])
    t.same(eventOf(crash({ debug_meta })).exceptions, plain.exceptions);
});
