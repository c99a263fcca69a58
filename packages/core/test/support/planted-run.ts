import { createEngine } from '../../src/index.js';
import { memoryPublisher, memoryStorageConnector } from '../../src/testing/index.js';
import { memoryCodeHost } from '../../src/testing/memory-code-host.js';
import { isKeptIn, type Written } from './encoded-corpus.js';

/** Where a text from outside reaches a run: in its event, or in the history of its code. */
export const PLANTED_PLACES = [
  ...['message', 'value', 'header', 'query', 'frame variable', 'context line', 'breadcrumb', 'tag', 'extra'],
  ...['commit title', 'commit diff', 'author', 'path'],
] as const;
export type PlantedPlace = (typeof PLANTED_PLACES)[number];
type Planting = Readonly<Partial<Record<PlantedPlace, Written>>>;

export interface Named {
  readonly id: string;
  readonly written: Written;
}

/** Titles, names and paths have no line ends, and a line of code is the part of a text that the frame's context holds. */
function fits(place: PlantedPlace, { text }: Written): boolean {
  if (!text.includes('\n')) return true;
  if (place === 'context line') return text.includes('PRIVATE KEY');
  return !['commit title', 'author', 'path', 'commit diff'].includes(place);
}

/**
 * Plants every secret in `places` different places, in runs with a secret in every place. Returns how many were planted, and
 * those that were kept.
 */
export async function keptOf(
  secrets: readonly Named[],
  places: number,
): Promise<{ readonly planted: number; readonly kept: readonly string[] }> {
  const kept: string[] = [];
  let planted = 0;
  const all = PLANTED_PLACES.length;
  const runs = Math.ceil((secrets.length * places) / all);
  for (let run = 0; run < runs; run++) {
    const planting = new Map<PlantedPlace, Named>();
    for (const [index, place] of PLANTED_PLACES.entries()) {
      // All places: each secret comes once to each. Otherwise they are dealt out.
      const at = places === all ? (run + index * 31) % secrets.length : run * all + index;
      const secret = secrets[at];
      if (secret !== undefined && fits(place, secret.written)) planting.set(place, secret);
    }
    planted += planting.size;
    const texts = Object.fromEntries([...planting].map(([place, { written }]) => [place, written]));
    for (const place of await keptPlaces(texts)) {
      const secret = planting.get(place);
      kept.push(`${place}: ${secret?.id}: ${secret?.written.text.slice(0, 200)}`);
    }
  }
  return { planted, kept };
}

const REVIEWER = { name: 'ada', via: 'api' } as const;
const lineOf = (text: string) => text.replace(/[\r\n]+/g, ' ');

/**
 * Takes a crash with these texts through a whole engine. Returns the places whose secret is in the stored run, in the draft
 * or in the issue.
 */
export async function textsOfRun(planting: Planting): Promise<readonly string[]> {
  const at = (place: PlantedPlace) => planting[place]?.text ?? 'plain';
  const path = `src/${lineOf(at('path'))}.js`;
  const publisher = memoryPublisher();
  const codeHost = memoryCodeHost(
    [
      { title: 'Start', at: '2025-12-01T10:00:00.000Z', write: { 'src/cart.js': 'a\nb\nc\nd\ne\n' } },
      {
        title: lineOf(at('commit title')),
        author: lineOf(at('author')),
        at: '2026-01-02T10:00:00.000Z',
        write: { 'src/cart.js': `a\n${at('commit diff')}\nc\nd\ne\n`, [path]: `${at('commit diff')}\n` },
      },
    ],
    { repository: 'shop/shop' },
  );
  const engine = await createEngine({
    connectors: [
      memoryStorageConnector(),
      { id: 'code', setup: () => ({ codeHost }) },
      { id: 'issues', setup: () => ({ publisher }) },
    ],
    projects: { default: { repository: 'shop/shop' } },
  });
  const { run_id } = await engine.ingest({ crash: crashOf(at, path) });
  const id = run_id ?? '';
  await engine.approveGateOne(id, REVIEWER);
  const staged = await engine.run(id);
  await engine.approveGateTwo(id, REVIEWER);
  const published = await engine.run(id);
  await engine.close();
  const texts = [staged, published, publisher.issues].flatMap((value) => textsIn(value));
  if (!texts.some((text) => text.includes('### Suspect change')) || publisher.issues.length !== 1)
    throw new Error('the draft names no suspect');
  return texts;
}

async function keptPlaces(planting: Planting): Promise<readonly PlantedPlace[]> {
  const all = (await textsOfRun(planting)).join('\n\n');
  return PLANTED_PLACES.filter((place) => {
    const written = planting[place];
    return written !== undefined && isKeptIn(all, written);
  });
}

function crashOf(at: (place: PlantedPlace) => string, path: string) {
  const lines = at('context line').split('\n');
  return {
    event_id: 'planted',
    timestamp: '2026-01-05T09:00:00.000Z',
    platform: 'node',
    message: at('message'),
    request: {
      url: 'https://shop.example/cart',
      query_string: `page=1&q=${at('query')}`,
      headers: { 'X-Debug': at('header') },
    },
    tags: { note: at('tag') },
    extra: { note: at('extra') },
    breadcrumbs: { values: [{ category: 'http', message: at('breadcrumb') }] },
    exception: {
      values: [
        {
          type: 'Error',
          value: at('value'),
          stacktrace: {
            frames: [
              { filename: path, function: 'main', lineno: 1, in_app: true },
              {
                ...{ filename: 'src/cart.js', function: 'total', lineno: 2, in_app: true },
                ...{ pre_context: lines.slice(0, -1), context_line: lines.at(-1) ?? '', post_context: ['}'] },
                vars: { note: at('frame variable') },
              },
            ],
          },
        },
      ],
    },
  };
}

/** Every text and name in the value. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? [String(value)] : [];
  return Object.entries(value).flatMap(([name, item]) => [name, ...textsIn(item)]);
}
