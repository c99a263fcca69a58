import t from 'tap';
import { type AnalysisParts, analyse } from '../../src/pipeline/analyse.js';
import { placeFrames } from '../../src/pipeline/evidence/placed-frames.js';
import { replay } from '../../src/pipeline/evidence/replay.js';
import type { Blame, CodeHost } from '../../src/ports/code-host.js';
import type { Explainer } from '../../src/ports/explainer.js';
import { makeFrame } from '../../src/testing/builders.js';
import { makeEvent, manualClock } from '../../src/testing/index.js';
import { memoryCodeHost } from '../../src/testing/memory-code-host.js';
import { SHOP, shopInput } from './shop-history.js';

const saying: Explainer = {
  name: 'saying',
  explain: async () => ({ source: 'model', model: 'test', claims: [], insufficient: true, note: null }),
};

function partsOf(codeHost: CodeHost, more: Partial<AnalysisParts> = {}): AnalysisParts {
  const { signal } = new AbortController();
  return { codeHost, explainers: [saying], explainMs: 60_000, clock: manualClock(), signal, ...more };
}

t.test('omits secrets and denied files', async (t) => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const history = [
    {
      title: `Add ${token}`,
      at: '2025-12-01T00:00:00.000Z',
      write: {
        'src/a.js': `const t = "${token}";\nboom();\n`,
        'config/.env.js': 'KEY=1\n',
        '.env': 'SECRET=hunter2\n',
      },
    },
  ];
  const base = shopInput();
  for (const file of ['src/a.js', '.env']) {
    const [exception] = base.event.exceptions;
    if (!exception) throw new Error('no exception');
    const frames = [makeFrame({ file, line: 1, context_line: null })];
    const event = makeEvent({ exceptions: [{ ...exception, value: `bad ${token}`, frames }] });
    const seen: string[] = [];
    const spy: Explainer = {
      name: 'spy',
      explain: async (request, signal) => {
        seen.push(JSON.stringify(request));
        return saying.explain(request, signal);
      },
    };
    const result = await analyse(
      shopInput({ event }),
      partsOf(memoryCodeHost(history), { explainers: [spy] }),
    );
    t.equal(result.suspects.length, 1);
    t.notMatch(JSON.stringify([result.draft, result.suspects, seen]), new RegExp(`${token}|hunter2`), file);
  }
});

/** A repository with secrets in denied files, in the crashed file far from the crash, in its history and in its messages. */
const LEAKY_TOKEN = `ghp_${'Zq9x'.repeat(9)}`;
const SECRETS = /Zq9xZq9x|hunter2|s3cr3t|swordfish|ada@example\.com/;
const filler = Array.from({ length: 120 }, (_, index) => `// note ${index}`).join('\n');
const appOf = (body: string) => `const first = 'unread ${'x'.repeat(3)}';\n${filler}\n${body}\n${filler}\n`;
const LEAKY = [
  {
    title: 'Start',
    at: '2025-11-01T00:00:00.000Z',
    write: {
      '.env': 'API_KEY=hunter2\nOTHER=s3cr3t\n',
      'config/credentials.yml': 'master: swordfish\n',
      'src/app.js': appOf(`const token = "${LEAKY_TOKEN}";`),
    },
  },
  {
    title: `Rotate ${LEAKY_TOKEN}`,
    body: `Signed-off-by: Ada <ada@example.com>, was ${LEAKY_TOKEN}`,
    at: '2025-12-01T00:00:00.000Z',
    write: {
      '.env': 'API_KEY=hunter22\nOTHER=s3cr3t\n',
      'config/credentials.yml': 'master: swordfish2\n',
      'src/app.js': appOf(`function start () {\n  const token = "${LEAKY_TOKEN}";\n  boom(token);\n}`),
    },
  },
];

t.test('evidence has nothing of denied files, and of others only what was read, scrubbed', async (t) => {
  const [exception] = shopInput().event.exceptions;
  if (!exception) throw new Error('no exception');
  const named = (file: string, line: number) => makeFrame({ file, line, context_line: null, in_app: true });
  const frames = [
    named('/srv/app/src/app.js', 124),
    named('/srv/app/config/credentials.yml', 1),
    named('/srv/app/.env', 1),
    named('/srv/app/.env', 2),
  ];
  const event = makeEvent({ exceptions: [{ ...exception, frames }] });
  const result = await analyse(shopInput({ event }), partsOf(memoryCodeHost(LEAKY)));
  const { evidence } = result;
  t.ok(result.suspects.length > 0, 'who changed a denied file last is no secret');
  t.notMatch(JSON.stringify(result), SECRETS);
  const text = JSON.stringify(evidence);
  t.match(text, 'boom(token);');
  for (const { method, answer } of evidence.calls) {
    if (method !== 'blame') continue;
    const { files } = answer as unknown as Blame;
    t.equal(files.find(({ path }) => path === '.env')?.lines, null);
    const lines = files.find(({ path }) => path === 'src/app.js')?.lines ?? [];
    t.equal(lines.indexOf('  boom(token);') + 1, 124, 'lines keep their numbers');
    t.notOk(lines[0], 'nothing read the first line');
  }
  const [source] = placeFrames(evidence, (dirty) => dirty).frames.flatMap((one) => one.source ?? []);
  t.match(source, { from: 120 });
  t.equal(source?.lines.filter((line) => line !== '').length, 9, 'pages find the lines that they show');
  const again = await replay(JSON.parse(JSON.stringify(evidence)));
  t.strictSame(again.draft, result.draft);
  t.strictSame(again.suspects, result.suspects);
  t.strictSame(again.evidence, evidence, 'a replay reads what the analysis read');
});

t.test('an original of a denied file leaves nothing of it in the evidence', async (t) => {
  const [exception] = shopInput().event.exceptions;
  if (!exception) throw new Error('no exception');
  const frames = [makeFrame({ file: 'https://shop.example/app.min.js', line: 1, column: 5, in_app: true })];
  const event = makeEvent({ platform: 'javascript', exceptions: [{ ...exception, frames }] });
  for (const source of ['webpack://shop/./.env?1f2e', 'src/app.ts']) {
    const lines = ['first();', `const token = "${LEAKY_TOKEN}"; // hunter2`];
    const original = { source, line: 2, name: null, context: { from: 1, lines } };
    const sourceMaps = { originals: async () => [{ status: 'mapped' as const, original }] };
    const { evidence, draft } = await analyse(
      shopInput({ event }),
      partsOf(memoryCodeHost(SHOP), { sourceMaps }),
    );
    const text = JSON.stringify([evidence, draft]);
    t.equal(text.includes('hunter2'), source === 'src/app.ts', source);
    t.notMatch(text, LEAKY_TOKEN);
  }
});
