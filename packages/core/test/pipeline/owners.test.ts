import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { temporaryFolder } from '../../../../bench/faults/lib/folders.mjs';
import { OWNERS_PROBLEMS, type OwnersDialect } from '../../src/domain/ownership.js';
import { type AnalysisStep, analyse } from '../../src/pipeline/analyse.js';
import { replay } from '../../src/pipeline/evidence/replay.js';
import { githubPattern, matchesPath } from '../../src/pipeline/owners/path-pattern.js';
import { readOwners } from '../../src/pipeline/owners/read-owners.js';
import { makeEvent, manualClock } from '../../src/testing/index.js';
import { type MemoryCodeHostOptions, memoryCodeHost } from '../../src/testing/memory-code-host.js';
import { LONG_SHOP, SHOP, shopInput } from './shop-history.js';

const reading = (lines: readonly string[], paths: readonly string[], dialect: OwnersDialect = 'github') =>
  readOwners({ path: 'CODEOWNERS', dialect, text: lines.join('\n') }, paths);
/** `line section owner,owner` of each deciding line. */
function owned(lines: readonly string[], path: string, dialect: OwnersDialect = 'github'): string {
  const [file] = reading(lines, [path], dialect).files;
  return (file?.rules ?? [])
    .map(({ line, section, owners }) => [line, section, owners.map(({ name }) => name).join(',')])
    .map((parts) => parts.filter((part) => part !== null).join(' '))
    .join('; ');
}
const matches = (pattern: string, path: string) =>
  matchesPath(githubPattern(pattern), path.split('/'), { left: 1_000_000 });

t.test('GitHub: the examples of its documentation', async (t) => {
  const file = [
    '# This is a comment.',
    '',
    '*       @global-owner1 @global-owner2',
    '*.js    @js-owner #This is an inline comment.',
    '*.go docs@example.com',
    '*.txt @octo-org/octocats',
    '/build/logs/ @doctocat',
    'docs/*  docs@example.com',
    'apps/ @octocat',
    '/scripts/ @doctocat @octocat',
    '**/logs @octocat',
    '/apps/github ',
    '\ta\\ b.md\t@spaced',
  ];
  const cases: readonly (readonly [string, string])[] = [
    ['README', '3 @global-owner1,@global-owner2'],
    ['deep/er/x.js', '4 @js-owner'],
    ['cmd/main.go', '5 docs@example.com'],
    ['a/b.txt', '6 @octo-org/octocats'],
    ['build/logs/a/b.bin', '11 @octocat'],
    ['x/build/logs', '11 @octocat'],
    ['docs/getting-started.md', '8 docs@example.com'],
    ['docs/build-app/troubleshooting.md', '3 @global-owner1,@global-owner2'],
    ['lib/apps/x/y.c', '9 @octocat'],
    ['scripts/run', '10 @doctocat,@octocat'],
    ['apps/github/x.c', '12 '],
    ['apps/gitlab/x.c', '9 @octocat'],
    ['deeply/nested/logs/x', '11 @octocat'],
    ['x/a b.md', '13 @spaced'],
    ['A B.md', '3 @global-owner1,@global-owner2'],
  ];
  for (const [path, expected] of cases) t.equal(owned(file, path), expected, path);
  t.strictSame(reading(file, []).problems, []);
  t.strictSame(
    reading(file, ['cmd/main.go', 'a.txt', 'a.js']).files.map(({ rules }) => rules[0]?.owners[0]?.kind),
    ['email', 'team', 'user'],
  );
});

t.test('GitHub: invalid lines are skipped and named, the others count', async (t) => {
  const file = [
    '\ufeff* @first',
    '!x.js @a',
    '\\#x @a',
    '[ab].js @a',
    'x.js @a not-an-owner',
    'x.js @-a',
    'a***b @a',
    `${'x'.repeat(1_001)} @a`,
    'x.js @@maintainer',
    '*.js @a @A # both are one',
    '/ @nothing\r',
  ];
  t.equal(owned(file, 'x.js'), '10 @a');
  t.equal(owned(file, '!x'), '1 @first');
  t.strictSame(
    reading(file, []).problems.map(({ line, code }) => `${line} ${code}`),
    [
      '2 negation',
      '3 escaped_hash',
      '4 range',
      '5 invalid_owner',
      '6 invalid_owner',
      '7 invalid_pattern',
      '8 invalid_pattern',
      '9 invalid_owner',
    ],
  );
  t.equal(reading(Array(50).fill('!x'), []).problems.length, 20);
  const route = 'apps/[param]/file.ts';
  t.equal(owned(['/apps/\\[param\\]/file.ts @a'], route), '1 @a', 'a folder of this name');
  const bare = ['* @all', '/apps/[param]/file.ts @a'];
  t.equal(owned(bare, route), '1 @all', 'GitHub ignores the line, and says so');
  t.equal(owned(bare, 'apps/p/file.ts'), '1 @all', 'and it is no range');
  t.match(OWNERS_PROBLEMS.range, /without a backslash.*Write \\\[ and \\\]/);
});

t.test('GitHub: what folders and stars match', async (t) => {
  const yes: readonly (readonly [string, string])[] = [
    ['a', 'x/a/b/c'],
    ['a/b', 'a/b/c'],
    ['a/', 'x/a/b'],
    ['/a*', 'ab/c/d'],
    ['a/*/c', 'a/b/c/d'],
    ['a/**', 'a/b/c'],
    ['a/**/c', 'a/c'],
    ['a/**/c', 'a/b/b/c/d'],
    ['**/a/b', 'x/y/a/b/c'],
    ['**', 'a'],
    ['a/**/b*', 'a/x/y/bc'],
    ['f\\*o', 'f*o'],
    ['f?o', 'f😀o'],
    ['{a,b}', '{a,b}'],
    ['a**b', 'axxb'],
  ];
  const no: readonly (readonly [string, string])[] = [
    ['a', 'x/ab'],
    ['a/b', 'x/a/b'],
    ['a/', 'x/a'],
    ['/a', 'x/a'],
    ['/*', 'a/b'],
    ['a/*', 'a/b/c'],
    ['a/**', 'a'],
    ['f\\*o', 'foo'],
    ['f?o', 'f/o'],
    ['a**b', 'a/b'],
    ['/', 'a'],
    ['A', 'a'],
  ];
  for (const [pattern, path] of yes) t.ok(matches(pattern, path), `${pattern} owns ${path}`);
  for (const [pattern, path] of no) t.notOk(matches(pattern, path), `${pattern} does not own ${path}`);
});

const part = fc.constantFrom('a', 'b', 'ab', '.x', '*', '?', 'a*', '*b', '**', 'a?', 'a**b', '\\*', '*a*b*');
const patterns = fc
  .tuple(fc.boolean(), fc.array(part, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([anchored, parts, folder]) => `${anchored ? '/' : ''}${parts.join('/')}${folder ? '/' : ''}`)
  // Where GitHub is unlike git by its documentation, and where git knows what is a folder.
  .filter((pattern) => pattern === '*' || (!/(^|\/)\*$/.test(pattern) && !pattern.endsWith('**/')));
const paths = fc
  .array(fc.constantFrom('a', 'b', 'ab', '.x', '*', 'aab', 'x'), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join('/'));

t.test('property: GitHub’s patterns match what git check-ignore matches', async (t) => {
  const folder = temporaryFolder(t, 'owners');
  const git = (args: readonly string[], input = '') => {
    const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_DIR: `${folder}/.git` };
    const { status, stdout } = spawnSync('git', [...args], { cwd: folder, env, input, maxBuffer: 64e6 });
    assert.ok(status === 0 || status === 1, `git ${args.join(' ')} exited with ${status}`);
    return String(stdout);
  };
  git(['init', '-q']);
  let round = 0;
  fc.assert(
    fc.property(
      fc.array(patterns, { minLength: 40, maxLength: 40 }),
      fc.array(paths, { minLength: 20, maxLength: 20 }),
      (someGlobs, somePaths) => {
        round += 1;
        const asked = someGlobs.flatMap((pattern, index) => {
          const own = `${round}.${index}`;
          mkdirSync(`${folder}/${own}`);
          writeFileSync(`${folder}/${own}/.gitignore`, `${pattern}\n`);
          return somePaths.map((path) => ({ pattern, path, name: `${own}/${path}` }));
        });
        const input = asked.map(({ name }) => `${name}\0`).join('');
        const ignored = new Set(git(['check-ignore', '--no-index', '-z', '--stdin'], input).split('\0'));
        const unlike = asked.filter(
          ({ pattern, path, name }) => matches(pattern, path) !== ignored.has(name),
        );
        assert.deepEqual(
          unlike.map(({ pattern, path }) => `${pattern} and ${path}`),
          [],
        );
      },
    ),
    { numRuns: 4 },
  );
});

t.test('GitLab: sections, default owners, exclusions and duplicate names, as documented', async (t) => {
  const file = [
    '* @general-approvers',
    '[Documentation][2] @docs-team',
    'docs/',
    'README.md',
    '*.txt',
    '^[Database] @database-team @agarcia',
    'model/db/',
    'config/db/database-setup.md @docs-team',
    '[DOCUMENTATION]',
    '/CHANGELOG.md @@maintainer # by @writers',
    '\\#odd.md janedoe@gitlab.com',
    'path\\ with\\ spaces/*.md @space-owner',
    '!docs/generated/',
    '[Ruby]',
    '*.rb @ruby @group/sub/team',
    '!/config/**/*.rb',
    '/config/routes.rb @ops',
  ];
  const cases: readonly (readonly [string, string])[] = [
    ['x.c', '1 @general-approvers'],
    ['a/docs/b/c', '1 @general-approvers; 3 Documentation @docs-team'],
    ['docs/generated/c', '1 @general-approvers'],
    [
      'model/db/CHANGELOG.txt',
      '1 @general-approvers; 5 Documentation @docs-team; 7 Database @database-team,@agarcia',
    ],
    ['config/db/database-setup.md', '1 @general-approvers; 8 Database @docs-team'],
    ['CHANGELOG.md', '1 @general-approvers; 10 Documentation @@maintainer,@writers'],
    ['x/#odd.md', '1 @general-approvers; 11 Documentation janedoe@gitlab.com'],
    ['path with spaces/a.md', '1 @general-approvers; 12 Documentation @space-owner'],
    ['app/user.rb', '1 @general-approvers; 15 Ruby @ruby,@group/sub/team'],
    ['config/routes.rb', '1 @general-approvers'],
    ['config/deep/er.rb', '1 @general-approvers'],
  ];
  for (const [path, expected] of cases) t.equal(owned(file, path, 'gitlab'), expected, path);
});

t.test('GitLab: patterns are those of Ruby’s File.fnmatch, lines are never skipped', async (t) => {
  const one = (pattern: string, path: string) => owned([`${pattern} @a`], path, 'gitlab') !== '';
  t.ok(one('/docs/*.md', 'docs/.hidden.md'));
  t.notOk(one('/docs/*', 'docs/a/b'));
  t.ok(one('/docs/**/*', 'docs/a/b'));
  t.notOk(one('/docs/**', 'docs/a/b'), 'a last ** is a *');
  t.notOk(one('docs', 'docs/a'), 'only a last slash names a folder');
  t.ok(one('internal/README.md', 'docs/api/internal/README.md'), 'relative paths match anywhere');
  t.ok(one('/[a-c]?[!x].rb', 'bbb.rb'));
  t.notOk(one('/[a-c]?[!x].rb', 'bbx.rb'));
  t.notOk(one('/[a-c.rb', '[a-c.rb'), 'a set without an end');
  t.ok(one('/\\[a].rb', '[a].rb'));
  t.equal(owned(['a @x', '* @y', 'a @z'], 'a', 'gitlab'), '2 @y', 'a repeated pattern keeps its place');
  t.equal(owned(['[Docs]', 'a word @x', '[Open', 'b'], 'a', 'gitlab'), '2 Docs @x');
  const { problems } = reading(['[Docs]', 'a word @x', '[Open', 'b', '[] @x'], [], 'gitlab');
  t.strictSame(
    problems.map(({ line, code }) => `${line} ${code}`),
    ['2 invalid_owner', '3 no_owner', '4 no_owner', '5 invalid_section'],
  );
});

t.test('hostile files cost a bounded number of steps', async (t) => {
  const path = `${'a'.repeat(200)}/`.repeat(19).slice(0, -1);
  const greedy = `/${'*a'.repeat(480)}b @x`;
  const deep = `/${'**/a*/'.repeat(160)}b @x`;
  for (const line of [greedy, deep, `**/${'?*'.repeat(450)}z @x`]) {
    const { unread } = reading(Array<string>(2_000).fill(line), [path, 'b']);
    t.ok(unread === null || unread === 'too_complex');
  }
  t.equal(reading(Array<string>(2_900).fill(`**/*${'a'.repeat(99)}b @x`), [path]).unread, 'too_complex');
  const large = { path: 'CODEOWNERS', dialect: 'github', text: 'x'.repeat(3_000_000) } as const;
  t.equal(readOwners(large, ['a']).unread, 'too_large');
  t.equal(readOwners({ ...large, text: null }, ['a']).unread, 'too_large');
  const many = Array.from({ length: 6_000 }, (_, index) => `/src/part${index}/ @acme/team${index}`);
  t.equal(owned(many, 'src/part7/x.c'), '8 @acme/team7');
  t.equal(
    owned([`* ${Array.from({ length: 40 }, (_, index) => `@a${index}`).join(' ')}`], 'x').split(',').length,
    20,
  );
});

const OWNERS = '* @acme/everyone\n/src/ @acme/payments @bo ada@example.com\n!bad @x\n';
const shop = (more: MemoryCodeHostOptions = {}, owners = OWNERS) =>
  memoryCodeHost(
    [...LONG_SHOP, { title: 'Own', at: '2026-01-05T08:00:00.000Z', write: { '.github/CODEOWNERS': owners } }],
    { releases: { 'shop@1.4.0': 'Own' }, ...more },
  );
const partsFor = (codeHost: ReturnType<typeof shop> | null, onStep?: (step: AnalysisStep) => void) => ({
  codeHost,
  explainers: [],
  explainMs: 60_000,
  clock: manualClock(),
  signal: new AbortController().signal,
  ...(onStep && { onStep }),
});
const withConfig = (config: Partial<ReturnType<typeof shopInput>['config']>) =>
  shopInput({ config: { ...shopInput().config, ...config } });

t.test('an analysis names the owners, its draft notifies nobody, and a replay gives the same', async (t) => {
  const steps: AnalysisStep[] = [];
  const result = await analyse(
    shopInput(),
    partsFor(shop(), (step) => steps.push(step)),
  );
  t.match(result.ownership, {
    file: '.github/CODEOWNERS',
    dialect: 'github',
    problems: [{ line: 3, code: 'negation' }],
    unread: null,
  });
  t.match(result.ownership?.files[0], {
    path: 'src/cart.js',
    rules: [
      { line: 2, pattern: '/src/', section: null, url: /\/blob\/[0-9a-f]{40}\/\.github\/CODEOWNERS#L2$/ },
    ],
  });
  t.ok(steps.some(({ name, error }) => name === 'owners' && error === null));
  const { body, assignees } = result.draft;
  t.match(
    body,
    /### Owners\n\n- `src\/cart\.js` is owned by `@acme\/payments`, `@bo`, a mail address \(\[CODEOWNERS line 2\]\(https:[^)]+\)\)\./,
  );
  t.notMatch(body, 'ada@example.com');
  t.strictSame(assignees, [], 'nobody is assigned unless configured');
  const kept = JSON.parse(JSON.stringify(result.evidence));
  const asked = kept.calls.find(({ method }: { method: string }) => method === 'ownership');
  t.notMatch(JSON.stringify(asked), '@acme/everyone', 'evidence has the deciding lines, not the file');
  const again = await replay(kept);
  t.equal(again.draft.digest, result.draft.digest);
  t.strictSame(again.ownership, result.ownership);

  const plain = await analyse(shopInput(), partsFor(shop({}, '# none\n')));
  t.strictSame(
    plain.suspects,
    result.suspects.map((one) => ({ ...one })),
    'the ranking is the same',
  );
  t.notMatch(plain.draft.body, 'Owners');
  const old = {
    ...kept,
    calls: kept.calls.filter(({ method }: { method: string }) => method !== 'ownership'),
  };
  t.equal((await replay(old)).ownership, null, 'evidence of older versions has no owners');
});

t.test('a failed question costs the owners, not the draft', async (t) => {
  const before = (method: string) => {
    if (method === 'owners') throw new Error('down');
  };
  const steps: AnalysisStep[] = [];
  const { ownership, suspects, evidence, draft } = await analyse(
    shopInput(),
    partsFor(shop({ before }), (step) => steps.push(step)),
  );
  t.equal(ownership, null);
  t.ok(suspects.length > 0);
  t.ok(steps.some(({ name, error }) => name === 'owners' && error !== null));
  t.equal((await replay(JSON.parse(JSON.stringify(evidence)))).draft.digest, draft.digest);
});

t.test('assignment rules propose people that a reviewer can change', async (t) => {
  const accounts = { Chidi: 'chidi-dev' };
  const assigneesWith = async (config: Parameters<typeof withConfig>[0], more: MemoryCodeHostOptions = {}) =>
    (await analyse(withConfig(config), partsFor(shop({ accounts, ...more })))).draft.assignees;
  t.strictSame(await assigneesWith({ assign: 'owner' }), ['bo'], 'teams and addresses cannot be assigned');
  t.strictSame(await assigneesWith({ assign: 'suspect' }), ['chidi-dev']);
  t.strictSame(await assigneesWith({ assign: 'suspect' }, { accounts: {} }), [], 'no account is known');
  t.strictSame(await assigneesWith({ assign: 'none' }), []);
  t.strictSame(await assigneesWith({ assign: 'owner', assignees: ['Bo', 'dana'] }), ['Bo', 'dana']);
  const reopens = { number: 7, url: 'https://code.example/7' };
  t.strictSame(await assigneesWith({ assign: 'owner', reopens }), [], 'a comment assigns nobody');
  const unsure = await analyse(
    shopInput({ event: makeEvent({ exceptions: [] }), config: withConfig({ assign: 'suspect' }).config }),
    partsFor(shop({ accounts })),
  );
  t.strictSame(unsure.draft.assignees, [], 'no suspect, no assignee');
});

t.test('hostile owners stay text', async (t) => {
  const hostile = `/src/ @x\n[S\`|<b>] @a/b\nsrc/ @a/b\n`;
  const { draft, ownership } = await analyse(
    shopInput(),
    partsFor(
      memoryCodeHost(
        [...SHOP, { title: 'Own', at: '2026-01-05T08:00:00.000Z', write: { '.gitlab/CODEOWNERS': hostile } }],
        { releases: { 'shop@1.4.0': 'Own' }, dialect: 'gitlab' },
      ),
    ),
  );
  t.equal(ownership?.files[0]?.rules.at(-1)?.section, 'S`|<b>');
  t.match(draft.body, 'section ``S`|<b>``');
});
