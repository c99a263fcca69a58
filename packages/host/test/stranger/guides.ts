import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import { freePort } from '../../src/cli/free-port.js';
import { commit, home, run, type Shop, start } from './shop.js';

const TOKENS = { SERVICE_TOKEN: 'service-token-0123456789', REVIEWER_TOKEN: 'reviewer-token-0123456789' };

/** The quick starts, from the fenced code in their pages: what is not on the page is not run. */
export async function checkGuides(t: Test, shop: Shop): Promise<void> {
  await t.test('embed', async (t) => {
    const folder = settle(shop, 'guide-embed', 'guides/embed.md', [['8080', await port()]]);
    commit(folder, 'Open the shop');
    const server = await start(folder, process.execPath, ['main.mjs'], TOKENS, /^(.*)\n(http:\S+)\n/);
    t.equal(server.line[1], 'the till is stuck');
    const headers = { authorization: `Bearer ${TOKENS.REVIEWER_TOKEN}` };
    const text = await (await fetch(`${server.line[2]}/api/v1/runs`, { headers })).text();
    const { runs } = JSON.parse(text);
    t.match(runs, [{ state: 'staged_draft' }]);
    t.equal(await server.stop(), 0);
  });
  await t.test('custom connector', (t) => {
    const folder = settle(shop, 'guide-connector', 'guides/custom-connector.md');
    const { status, stdout, stderr } = run(folder, process.execPath, ['main.mjs']);
    t.equal(status, 0, stderr);
    t.equal(stdout, '!! staged_raw: the till is stuck\n');
    t.end();
  });
  await t.test('reference host, watched live', async (t) => {
    const folder = settle(shop, 'guide-host', 'guides/watch-live.md');
    commit(folder, 'Open the shop');
    const [edge, core] = [await port(), await port()];
    const env = { EDGE_PORT: edge, CORE_PORT: core, REVIEWER_TOKENS: `ada:${TOKENS.REVIEWER_TOKEN}` };
    const [, doctor = '', up = ''] = shell('guides/reference-host.md')[0]?.split('\n') ?? [];
    const said = culprit(shop, folder, doctor, { ...env, REPOSITORY: '.' });
    t.equal(said.status, 0, said.stdout);
    const [node, ...args] = command(shop, up);
    const host = await start(folder, node, args, env, /http:\/\/127\.0\.0\.1:\d+/);
    try {
      const url = `http://127.0.0.1:${core}`;
      for (let ready = false; !ready; )
        ready = await fetch(`${url}/readyz`).then(
          (r) => r.ok,
          () => false,
        );
      const live = { ...TOKENS, CORE_URL: url };
      const watch = await start(folder, process.execPath, ['watch.mjs'], live, /snapshot (\S+) \d+\n/);
      const client = { ...env, ...live, CULPRIT_TOKEN: TOKENS.REVIEWER_TOKEN };
      const [trigger = '', runs = ''] = shell('guides/reference-host.md')[1]?.split('\n') ?? [];
      const sent = culprit(shop, folder, trigger, client);
      t.equal(sent.status, 0, sent.stdout + sent.stderr);
      const listed = culprit(shop, folder, runs, client);
      t.equal(listed.status, 0, listed.stdout + listed.stderr);
      await watch.stop();
    } finally {
      await host.stop();
    }
  });
}

const port = async () => String(await freePort('127.0.0.1'));

/** A folder beside the installed packages, with every file that the page shows. */
function settle(
  shop: Shop,
  name: string,
  page: string,
  changes: readonly (readonly [string, string])[] = [],
): string {
  const folder = join(shop.directory, name);
  mkdirSync(folder);
  for (const [, file = '', text = ''] of read(page).matchAll(/```js file=(\S+)\n([\s\S]*?)```/g)) {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      changes.reduce((all, [from, to]) => all.replaceAll(from, to), text),
    );
  }
  return folder;
}

const read = (page: string) => readFileSync(join(home, 'docs', page), 'utf8');

function shell(page: string): readonly string[] {
  return [...read(page).matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text.trim());
}

/** `npx culprit …` as npx would run it. */
function command(shop: Shop, line: string): readonly [string, ...string[]] {
  const [npx, name, ...args] = line.split(' ');
  if (npx !== 'npx' || name !== 'culprit') throw new Error(`the page says ${JSON.stringify(line)}`);
  return [process.execPath, join(shop.directory, 'node_modules/@culprit/host/dist/bin/culprit.js'), ...args];
}

function culprit(shop: Shop, folder: string, line: string, env: Readonly<Record<string, string>>) {
  const [node, ...args] = command(shop, line);
  return run(folder, node, args, env);
}
