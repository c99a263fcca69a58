import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const home = fileURLToPath(new URL('../../..', import.meta.url));

interface Finding {
  readonly file: string;
  readonly line: number;
  readonly law: string;
  readonly reason: string;
}

/** A tree that passes every law. */
const GOOD: Record<string, string> = {
  'packages/core/package.json':
    '{"name":"@culprit/core","type":"module","exports":{".":"./dist/index.js","./testing":"./dist/testing.js"}}',
  'packages/core/dist/index.js': 'export const built = 1;\n',
  'packages/core/dist/testing.js': 'export const clockContract = 1;\n',
  'packages/core/src/domain/run.ts': 'export interface Run { readonly id: string }\n',
  'packages/core/src/errors/error.ts': 'export class Failure extends Error {}\n',
  'packages/core/src/ports/clock.ts':
    "import type { Run } from '../domain/run.js';\n/** Law: never lies. */\nexport interface Clock { now(run: Run): number }\n",
  'packages/core/src/gates/gate-one.ts':
    "import { Failure } from '../errors/error.js';\nexport class GateOne { parts = [Failure] }\n",
  'packages/core/src/di/container.ts':
    "import { container } from 'tsyringe';\nimport { GateOne } from '../gates/gate-one.js';\nexport const made = [container, GateOne];\n",
  'packages/core/src/testing/fake.ts': 'export const fake = 1;\n',
  'packages/connectors/package.json':
    '{"name":"@culprit/connectors","type":"module","exports":{"./clock":"./dist/clock.js","./package.json":"./package.json"}}',
  'packages/connectors/dist/clock.js': 'export const clock = 1;\n',
  'packages/connectors/src/clock/index.ts':
    "import { built } from '@culprit/core';\nimport { helper } from '../shared/helper.js';\nexport const clock = [built, helper];\n",
  'packages/connectors/src/clock/README.md': '# clock\n',
  'packages/connectors/src/shared/helper.ts': 'export const helper = 1;\n',
  'packages/connectors/test/clock.test.ts':
    "import { clockContract } from '@culprit/core/testing';\nimport { clock } from '../src/clock/index.js';\nexport const ran = [clockContract, clock];\n",
  'packages/host/src/config/environment.ts': 'export const port = process.env.PORT;\n',
  'packages/host/src/http/uws.ts': "export const uws = () => import('uWebSockets.js');\n",
  'packages/host/src/bin/culprit.ts':
    "import { port } from '../config/environment.js';\nexport const ran = port;\n",
  'packages/host/test/examples.full.test.ts': "export const examples = ['embed'];\n",
  'examples/embed/main.mjs': '\n',
  'node_modules/tsyringe/package.json': '{"name":"tsyringe","main":"index.js"}',
  'node_modules/tsyringe/index.js': 'exports.inject = exports.container = 1;\n',
  'node_modules/tap/package.json': '{"name":"tap","main":"index.js"}',
  'node_modules/tap/index.js': '\n',
  'node_modules/uWebSockets.js/package.json': '{"name":"uWebSockets.js","main":"uws.js"}',
  'node_modules/uWebSockets.js/uws.js': '\n',
  'node_modules/@culprit/core/package.json':
    '{"name":"@culprit/core","type":"module","exports":{".":"./index.js","./testing":"./index.js"}}',
  'node_modules/@culprit/core/index.js': 'export const built = 1, clockContract = 1;\n',
};

/** What is added to the good tree: each breaks one law, at the place named `file:line`. */
const BAD: readonly { law: string; at: string; files: Record<string, string> }[] = [
  bad('no-default-export', 'packages/core/src/a1.ts', 2, '\nexport default function f() {}\n'),
  bad('no-export-star', 'packages/core/src/a2.ts', 1, "export * from './domain/run.js';\n"),
  bad('no-enum', 'packages/core/src/a3.ts', 1, 'export enum Colour { Red }\n'),
  bad('no-any', 'packages/core/src/a4.ts', 1, 'export const x: any = 1;\n'),
  bad('environment', 'packages/host/src/cli/a7.ts', 1, 'export const home = process.env.HOME;\n'),
  bad(
    'environment',
    'packages/host/src/cli/a8.ts',
    1,
    "import { env } from 'node:process';\nexport const e = env;\n",
  ),
  bad('environment', 'packages/host/src/cli/a9.ts', 1, 'export const { env } = process;\n'),
  bad('core-console', 'packages/core/src/b1.ts', 1, "export const f = () => console.log('x');\n"),
  bad(
    'core-files',
    'packages/core/src/b2.ts',
    1,
    "import { readFileSync } from 'node:fs';\nexport const r = readFileSync;\n",
  ),
  bad('time-limit', 'packages/connectors/src/b0.ts', 1, 'export const s = () => AbortSignal.timeout(1);\n'),
  bad('terminal', 'packages/host/src/cli/b0.ts', 1, "export const p = () => process.stdout.write('x');\n"),
  bad(
    'remove-folder',
    'packages/host/test/b1.ts',
    2,
    "import { rmSync } from 'node:fs';\nexport const r = () => rmSync('x', { recursive: true });\n",
  ),
  bad('port-law', 'packages/core/src/ports/b4.ts', 1, 'export interface P { a(): void }\n'),
  bad('port-empty', 'packages/core/src/ports/b5.ts', 1, 'export interface P { readonly a: string }\n'),
  bad('connector-files', 'packages/connectors/src/b7', 1, '', {
    'packages/connectors/src/b7/map.ts': 'export {};\n',
  }),
  bad('connector-export', 'packages/connectors/src/b7', 1, '', {}),
  bad('connector-contract', 'packages/connectors/src/b7', 1, '', {}),
  bad('example-runs', 'examples/b9', 1, '', { 'examples/b9/main.mjs': '\n' }),
  bad('chosen-library', 'package.json', 1, '{"chosenLibraries":["tsyringe","dropped"]}'),
  bad('cited-file', 'packages/core/src/b10.ts', 2, '/**\n * See facts/none.md.\n */\nexport {};\n'),
  bad('decision-index', 'docs/decisions/README.md', 1, '| 1 | None. |\n', {
    'docs/decisions/0002-two.md': '# 2. Two\n',
  }),
  bad('doc-index', 'docs/guides/lost.md', 1, '# Lost\n', {
    'docs/README.md': '# Pages\n\n[Two](decisions/0002-two.md#none)\n',
  }),
  bad('doc-link', 'docs/README.md', 3, ''),
  bad('api-report', 'packages/core/api/testing.txt', 1, '', {
    'packages/core/dist/testing.d.ts': '/** Builds. */\nexport declare const clockContract: number;\n',
    'packages/core/api/testing.txt': '/** Builds. */\nexport declare const clockSuite: number;\n',
  }),
  bad('api-report', 'packages/core/api/gone.txt', 1, 'const gone: number;\n'),
  bad('public-doc', 'packages/core/dist/index.d.ts', 2, '', {
    'packages/core/dist/index.d.ts': '\nexport declare const built: number;\n',
  }),
  bad('reference', 'docs/reference/errors.md', 3, '# Errors\n\n\n\nchanged by hand\n'),
  bad('reference', 'docs/reference/nothing.md', 1, '# Nothing\n'),
  bad(
    'no-cycles',
    'packages/core/src/c1.ts',
    1,
    "import { b } from './c2.js';\nexport const a = () => b;\n",
    {
      'packages/core/src/c2.ts': "import { a } from './c1.js';\nexport const b = () => a;\n",
    },
  ),
  bad(
    'core-imports-no-package',
    'packages/core/src/c3.ts',
    1,
    "import '../../connectors/src/clock/index.js';\n",
  ),
  bad(
    'client-imports-nothing',
    'packages/client/src/c2.ts',
    1,
    "import { built } from '@culprit/core';\nexport const b = built;\n",
  ),
  bad(
    'connectors-import-core-only',
    'packages/connectors/src/clock/c4.ts',
    1,
    "import '../../../host/src/http/uws.js';\n",
  ),
  bad(
    'board-imports-client-and-core-only',
    'packages/board/src/c5.ts',
    1,
    "import '../../host/src/http/uws.js';\n",
  ),
  bad('no-deep-imports', 'packages/host/src/c5.ts', 1, "import '../../core/src/domain/run.js';\n"),
  bad('no-deep-imports-by-path', 'packages/host/src/c6.ts', 1, "import '../../core/dist/index.js';\n"),
  bad('domain-is-pure', 'packages/core/src/domain/c7.ts', 1, "import '../errors/error.js';\n"),
  bad(
    'ports-import-domain-only',
    'packages/core/src/ports/c8.ts',
    1,
    "import type { Failure } from '../errors/error.js';\n/** Law. */\nexport interface P { a(): Failure }\n",
  ),
  bad(
    'ports-import-types-only',
    'packages/core/src/ports/c9.ts',
    1,
    "import { Run } from '../domain/run.js';\n/** Law. */\nexport interface P { a(): Run }\n",
  ),
  bad('errors-import-nothing', 'packages/core/src/errors/d1.ts', 1, "import '../domain/run.js';\n"),
  bad('resilience-imports-nothing', 'packages/core/src/resilience/d0.ts', 1, "import '../domain/run.js';\n"),
  bad('steps-import-inwards-only', 'packages/core/src/pipeline/d2.ts', 1, "import '../di/container.js';\n"),
  bad('steps-import-no-gates', 'packages/core/src/pipeline/d3.ts', 1, "import '../gates/gate-one.js';\n"),
  bad('tsyringe-is-confined', 'packages/core/src/gates/d4.ts', 1, "import 'tsyringe';\n"),
  bad('core-is-portable', 'packages/core/src/d5.ts', 1, "import 'node:os';\n"),
  bad('core-testing-needs-no-files', 'packages/core/src/testing/d6.ts', 1, "import 'tap';\n"),
  bad('product-imports-no-testing', 'packages/core/src/d7.ts', 1, "import './testing/fake.js';\n"),
  bad(
    'connectors-are-independent',
    'packages/connectors/src/d8/index.ts',
    1,
    "import '../clock/index.js';\n",
  ),
  bad(
    'shared-is-below-connectors',
    'packages/connectors/src/shared/d9.ts',
    1,
    "import '../clock/index.js';\n",
  ),
  bad('only-http-imports-uws', 'packages/host/src/server/e1.ts', 1, "import 'uWebSockets.js';\n"),
  bad('only-the-demo-runs-commands', 'packages/host/src/server/e3.ts', 1, "import '../cli/run.js';\n", {
    'packages/host/src/cli/run.ts': 'export const run = 1;\n',
  }),
  bad('servers-read-no-settings', 'packages/host/src/http/e4.ts', 1, "import '../config/environment.js';\n"),
  bad('server-is-on-top', 'packages/host/src/mcp/e5.ts', 1, "import '../server/operation.js';\n", {
    'packages/host/src/server/operation.ts': 'export const operation = 1;\n',
  }),
  bad('everything-resolves', 'packages/host/src/e2.ts', 1, "import './not-there.js';\n"),
];

function bad(law: string, file: string, line: number, text: string, more: Record<string, string> = {}) {
  return { law, at: `${file}:${line}`, files: text === '' ? more : { [file]: text, ...more } };
}

t.test('a valid tree passes', async (t) => {
  const { found, status } = check(plant(t.testdir(), GOOD));
  t.strictSame(found, []);
  t.equal(status, 0);
});

t.test('each law fails on a tree that breaks it and reports the line', async (t) => {
  const tree = BAD.reduce((all, sample) => Object.assign(all, sample.files), { ...GOOD });
  const { found, laws, status } = check(plant(t.testdir(), tree));
  t.equal(status, 1);
  const places = new Set(found.map(({ law, file, line }) => `${law} ${file}:${line}`));
  for (const { law, at } of BAD) t.ok(places.has(`${law} ${at}`), `${law} at ${at}`);
  for (const finding of found) t.match(finding.reason, /\S/, `${finding.law} has a reason`);
  t.strictSame([...new Set(BAD.map(({ law }) => law))].sort(), [...laws].sort(), 'every law is tested');
});

function plant(folder: string, files: Record<string, string>): string {
  const root = realpathSync(folder);
  cpSync(join(home, 'docs/reference'), join(root, 'docs/reference'), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function check(root: string): { found: Finding[]; laws: string[]; status: number | null } {
  const run = spawnSync(process.execPath, [join(home, 'scripts/laws.mjs'), '--root', root, '--json'], {
    encoding: 'utf8',
  });
  return { ...JSON.parse(run.stdout), status: run.status };
}
