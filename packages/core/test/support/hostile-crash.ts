import { createEngine } from '../../src/index.js';
import type { Explainer } from '../../src/ports/explainer.js';
import type { SourceMapOutcome, SourceMaps } from '../../src/ports/source-maps.js';
import { memoryPublisher, memoryStorageConnector } from '../../src/testing/index.js';
import { memoryCodeHost, type ScriptedCommit } from '../../src/testing/memory-code-host.js';

const REVIEWER = { name: 'ada', via: 'api' } as const;

/** An explainer that follows injected instructions: it returns the text everywhere, with quotes that pass the check. */
const obedient = (text: string): Explainer => ({
  name: `model ${text}`,
  explain: async ({ evidence }) => {
    const cites = evidence.slice(0, 4).map(({ id, text: piece }) => ({
      evidence: id,
      quote: (piece.split('\n').find((line) => line.includes(text.slice(0, 8))) ?? piece).slice(0, 60),
    }));
    const claims = [
      { text, cites },
      { text: 'The crash happened at `x`.', cites },
    ];
    return { source: 'model', model: text, claims, insufficient: false, note: text };
  },
});

/** What became of built files in the stack: their originals are files of the repository, or other files, or are not known. */
export type HostileMaps = 'of_repository' | 'of_others' | 'missing';

/** What a source map says whose every name and line is the text. */
function outcomeOf(maps: HostileMaps, text: string, line: string): SourceMapOutcome {
  if (maps === 'missing') return { status: 'no_map' };
  const source = maps === 'of_repository' ? `../src/${line}.js` : text;
  return {
    status: 'mapped',
    original: { source, line: 1, name: text, context: { from: 1, lines: [line, text] } },
  };
}

/** The issue that the whole engine publishes for a crash, a history and a model with the text in every member, and its brief. */
export async function issueOfHostileCrash(text: string, platform = 'node', maps: HostileMaps | null = null) {
  const publisher = memoryPublisher();
  const short = text.slice(0, 400);
  const line = short.replace(/[\r\n]/g, ' ');
  const history: readonly ScriptedCommit[] = [
    { title: 'Start', at: '2025-12-01T10:00:00.000Z', write: { 'src/cart.js': 'a\nb\nc\n' } },
    {
      title: line,
      body: short,
      author: line,
      at: '2026-01-02T10:00:00.000Z',
      write: {
        'src/cart.js': `a\n${line}\ntotal(${line})\n`,
        [`src/${line}.js`]: `${line}\n`,
        [`test/${line}.test.js`]: 'x\n',
      },
    },
  ];
  const codeHost = memoryCodeHost(history, { repository: 'shop/shop' });
  const sourceMaps: SourceMaps = {
    originals: async ({ frames }) => frames.map(() => outcomeOf(maps ?? 'missing', text, line)),
  };
  const engine = await createEngine({
    connectors: [
      memoryStorageConnector(),
      { id: 'code', setup: () => ({ codeHost }) },
      { id: 'model', setup: () => ({ explainer: obedient(text) }) },
      { id: 'issues', setup: () => ({ publisher }) },
    ],
    projects: { default: { repository: 'shop/shop' } },
    ...(maps === null ? {} : { sourceMaps }),
  });
  const frame = {
    function: text,
    lineno: 3,
    in_app: true,
    module: text,
    context_line: line,
    vars: { [text]: text },
  };
  const frames = [
    { ...frame, filename: text },
    { ...frame, filename: `src/${line}.js`, lineno: 1 },
    { ...frame, filename: 'src/cart.js' },
  ];
  const built = [1, 2].map((colno) => ({
    ...frame,
    filename: `https://shop.example/assets/${line.replace(/[?#]/g, '')}.min.js`,
    lineno: 1,
    colno,
  }));
  const crash = {
    event_id: 'hostile',
    timestamp: '2026-01-05T09:00:00.000Z',
    platform: platform,
    release: text,
    environment: text,
    transaction: text,
    server_name: text,
    tags: { tag: text, [text]: 'x' },
    request: { method: text, url: text, data: { [text]: text }, headers: { 'content-type': text } },
    contexts: { runtime: { name: text, version: text } },
    breadcrumbs: [{ category: text, message: text }],
    exception: {
      values: [
        {
          type: text,
          value: text,
          stacktrace: {
            frames: maps === null ? frames : built,
          },
        },
      ],
    },
  };
  const { run_id } = await engine.ingest({ crash });
  const early = await engine.brief(run_id ?? '');
  await engine.approveGateOne(run_id ?? '', REVIEWER);
  await engine.approveGateTwo(run_id ?? '', REVIEWER);
  const briefs = [early, await engine.brief(run_id ?? '')];
  await engine.close();
  const [issue] = publisher.issues;
  return { title: issue?.title ?? '', body: issue?.body ?? '', briefs };
}
