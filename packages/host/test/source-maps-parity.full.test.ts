import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { git } from '@culprit/connectors/git';
import { storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import { createEngine, silentLogger } from '@culprit/core';
import { frozenClock } from '@culprit/core/internal/pipeline/evidence/replay-parts';
import type { SourceMaps } from '@culprit/core/internal/ports/source-maps';
import fc from 'fast-check';
import t from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { buildRecipe, readRecipe } from '../src/replay/recipe.js';
import { readJson, SCENARIO_FILES, scenarioCase } from '../src/replay/scenario.js';

t.setTimeout(600_000);
const SCENARIOS = fileURLToPath(new URL('../../../bench/scenarios/', import.meta.url));
const REVIEWER = { name: 'ada', via: 'api' } as const;
const CODE = /\.(?:[cm]?[jt]sx?|py|rb|php|java|kt|cs|go|rs|cpp|c)$/;

/** A line of a repository on the stack. */
interface Place {
  readonly path: string;
  readonly line: number;
  readonly function: string | null;
  /** The sender reads the files that it runs, and reports the line. */
  readonly reported: boolean;
}
interface Crash {
  readonly value: string;
  /** Sent by an SDK that reads the files of the stack, but no line of a built file. */
  readonly reads: boolean;
  /** Outermost first. */
  readonly places: readonly Place[];
}
interface Repository {
  readonly name: string;
  readonly at: number;
  readonly folder: string;
  readonly files: readonly { readonly path: string; readonly lines: readonly string[] }[];
}

function repositories(folder: string): readonly Repository[] {
  return readdirSync(SCENARIOS).flatMap((name) => {
    const file = join(SCENARIOS, name, SCENARIO_FILES.recipe);
    if (!existsSync(file)) return [];
    const recipe = readRecipe(readJson(file), file);
    buildRecipe(recipe, join(folder, name));
    const files = new Map<string, readonly string[]>();
    for (const { rename = {}, remove = [], write = {} } of recipe) {
      for (const [from, to] of Object.entries(rename)) files.set(to, files.get(from) ?? []);
      for (const path of [...Object.keys(rename), ...remove]) files.delete(path);
      for (const [path, content] of Object.entries(write))
        files.set(path, typeof content === 'string' ? content.replace(/\n$/, '').split('\n') : content);
    }
    const code = [...files].flatMap(([path, lines]) => (CODE.test(path) ? [{ path, lines }] : []));
    const { at } = scenarioCase(join(SCENARIOS, name));
    return code.length === 0 ? [] : [{ name, at, folder: join(folder, name), files: code }];
  });
}

const lineOf = ({ files }: Repository, { path, line }: Place) =>
  files.find((file) => file.path === path)?.lines[line - 1] ?? '';

const plainFrames = (repository: Repository, { places, reads }: Crash) =>
  places.map((place) => ({
    filename: `/srv/app/${place.path}`,
    lineno: place.line,
    colno: 3,
    function: place.function,
    in_app: true,
    ...(reads || place.reported ? { context_line: lineOf(repository, place) } : {}),
  }));

/** The same stack in one built line: the column tells the place. */
const builtFrames = ({ places, reads }: Crash) =>
  places.map(({ reported, function: name }, index) => ({
    filename: 'https://shop.example/assets/app.min.js',
    lineno: 1,
    colno: index + 1,
    // Only the outermost name is not at the place of a caller.
    function: index === 0 ? name : 'e',
    in_app: true,
    ...(reported && !reads ? { context_line: 'function e(t){return t.a.b}' } : {}),
  }));

/** Source maps with the sources of the repository. */
const mapsOf = (repository: Repository, { places }: Crash): SourceMaps => ({
  originals: async ({ frames }) =>
    frames.map(({ column }) => {
      const place = places[column - 1];
      if (place === undefined) return { status: 'unmapped' };
      const lines = repository.files.find(({ path }) => path === place.path)?.lines ?? [];
      return {
        status: 'mapped',
        original: {
          source: `webpack://shop/../${place.path}`,
          line: place.line,
          name: places[column]?.function ?? null,
          context: { from: 1, lines },
        },
      };
    }),
});

async function found(
  { folder, at }: Repository,
  { value, reads }: Crash,
  frames: readonly object[],
  sourceMaps?: SourceMaps,
) {
  const engine = await createEngine({
    connectors: [storage({ url: 'memory:' }), template({}), git({})],
    projects: { default: { repository: folder } },
    ...(sourceMaps && { sourceMaps }),
    clock: frozenClock(new Date(at).toISOString()),
    logger: silentLogger,
  });
  try {
    const exception = { values: [{ type: 'TypeError', value, stacktrace: { frames } }] };
    const sdk = reads ? { sdk: { name: 'sentry.javascript.node', version: '11.0.0' } } : {};
    const { run_id } = await engine.ingest({ crash: { platform: 'node', ...sdk, exception } as never });
    await engine.approveGateOne(run_id ?? '', REVIEWER);
    const { state, revision, suspects, no_suspect } = await engine.run(run_id ?? '');
    return { state, revision, suspects, no_suspect };
  } finally {
    await engine.close();
  }
}

t.test('property: a crash has the same suspects, scores and reasons, built or not', async (t) => {
  const all = repositories(temporaryFolder(t, 'parity'));
  t.ok(all.length > 8, `${all.length} repositories`);
  const crashIn = (repository: Repository) => {
    const words = repository.files.flatMap(({ lines }) => lines.join(' ').match(/[A-Za-z_]\w{3,}/g) ?? []);
    const word = words.length === 0 ? fc.constant('total') : fc.constantFrom(...words);
    const place = fc.constantFrom(...repository.files).chain(({ path, lines }) =>
      fc.record({
        path: fc.constant(path),
        line: fc.integer({ min: 1, max: Math.max(1, lines.length) }),
        function: fc.option(word, { freq: 8 }),
        reported: fc.boolean(),
      }),
    );
    return fc.record({
      repository: fc.constant(repository),
      crash: fc.record({
        value: word.map((one) => `Cannot read properties of undefined (reading '${one}')`),
        reads: fc.boolean(),
        places: fc.array(place, { minLength: 1, maxLength: 6 }),
      }),
    });
  };
  let ranked = 0;
  for (const one of all) {
    await fc.assert(
      fc.asyncProperty(crashIn(one), async ({ repository, crash }) => {
        const plain = await found(repository, crash, plainFrames(repository, crash));
        const built = await found(repository, crash, builtFrames(crash), mapsOf(repository, crash));
        ranked += plain.suspects.length;
        t.strictSame(built, plain, `${repository.name}: ${JSON.stringify(crash)}`);
      }),
      { numRuns: 4 },
    );
  }
  t.ok(ranked > all.length, `${ranked} suspects`);
});
