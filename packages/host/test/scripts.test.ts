import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import t from 'tap';

const home = fileURLToPath(new URL('../../..', import.meta.url));

function script(name: string, args: readonly string[], env: Record<string, string> = {}) {
  const kept = Object.entries(process.env).filter(([key]) => !/^(TAP|NODE_OPTIONS|CI$|_TAPJS)/.test(key));
  const run = spawnSync(process.execPath, [join(home, 'scripts', name), ...args], {
    cwd: home,
    encoding: 'utf8',
    env: { ...Object.fromEntries(kept), ...env },
  });
  return { ...run, last: run.stdout.trimEnd().split('\n').at(-1) };
}

t.test('npm test counts passed, failed and skipped tests, and its exit code agrees', async (t) => {
  const folder = t.testdir({
    'good.test.mjs': `import t from 'tap';
t.test('many assertions are one test', async (t) => { t.pass('one'); t.pass('two'); });
t.test('parent', async (t) => { await t.test('child', async () => {}); });
t.test('a tool that is missing', { skip: 'needs a-tool' }, () => {});
`,
    'bad.test.mjs': `import t from 'tap';
t.test('good', async (t) => { t.pass('one'); });
t.test('bad', async (t) => { t.equal(1, 2, 'this is wrong'); t.equal(1, 3); });
`,
    'parent.test.mjs': `import t from 'tap';
t.test('parent', async (t) => { await t.test('child', async () => {}); t.fail('own failure'); });
`,
    'broken.test.mjs': `throw new Error('cannot be loaded');\n`,
  });
  const file = (name: string) => join(folder, `${name}.test.mjs`);

  const good = script('test.mjs', ['--no-build', file('good')]);
  t.equal(good.last, '2 passed, 0 failed, 1 skipped');
  t.equal(good.status, 0);

  const strict = script('test.mjs', ['--no-build', file('good')], { CI: 'true' });
  t.equal(strict.last, '2 passed, 1 failed, 0 skipped', 'with CI=true a missing tool is a failure');
  t.match(strict.stdout, 'needs a-tool');
  t.equal(strict.status, 1);

  const all = script('test.mjs', ['--no-build', ...['good', 'bad', 'parent', 'broken'].map(file)]);
  t.equal(all.last, '4 passed, 3 failed, 1 skipped');
  t.match(all.stdout, 'this is wrong');
  t.match(all.stdout, 'own failure');
  t.match(all.stdout, 'cannot be loaded');
  t.equal(all.status, 1);
});

t.test('bench and faults list their areas and reject others', async (t) => {
  for (const name of ['bench.mjs', 'faults.mjs']) {
    const list = script(name, []);
    t.equal(list.status, 0);
    t.match(list.stderr, /areas?/i);
    const unknown = script(name, ['no-such-area']);
    t.equal(unknown.status, 2);
    t.match(unknown.stderr, 'Unknown area "no-such-area"');
  }
});

t.test('scripts work in a folder whose name contains a space', (t) => {
  for (const folder of ['scripts', 'bench']) {
    for (const name of readdirSync(join(home, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.mjs')) continue;
      const text = readFileSync(join(home, folder, name), 'utf8');
      t.notMatch(
        text,
        /import\.meta\.url\)\.pathname/,
        `${folder}/${name}: convert the URL with fileURLToPath`,
      );
    }
  }
  t.end();
});

t.test('faults, benches and scripts import names that exist in the packages', async (t) => {
  const wrong: string[] = [];
  for (const folder of ['bench', 'scripts']) {
    for (const name of readdirSync(join(home, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.mjs')) continue;
      const file = join(home, folder, name);
      const imports = readFileSync(file, 'utf8').matchAll(
        /^import \{([^}]*)\} from '(\.[^']*\/dist\/[^']+)'/gm,
      );
      for (const [, names = '', path = ''] of imports) {
        const module = await import(pathToFileURL(join(file, '..', path)).href);
        for (const one of names.split(',').map((part) => part.trim().split(' as ')[0] ?? '')) {
          if (one !== '' && !(one in module)) wrong.push(`${folder}/${name}: ${path} does not export ${one}`);
        }
      }
    }
  }
  t.strictSame(wrong, []);
});
