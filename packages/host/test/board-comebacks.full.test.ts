import { execFileSync } from 'node:child_process';
import { memoryPublisher } from '@culprit/core/testing';
import t from 'tap';
import { axe, boardBench, CHROMIUM, overflow, signIn, visit } from './support/board-bench.js';
import { TOKEN } from './support/core-bench.js';
import { cartCrash } from './support/crashing-repository.js';
import { culprit } from './support/run-culprit.js';

const skip = CHROMIUM === undefined ? 'needs chromium' : false;
const ADA = { name: 'ada', via: 'api' } as const;
const HOSTILE = '<img src=x onerror="document.title=1">\n**wrong** commit \u202e';

t.test(
  'a regression’s story and a return’s reason: rows, page, API and command line',
  { skip },
  async (t) => {
    const publisher = memoryPublisher();
    const { core, engine, repository, api } = await boardBench(t, {
      change: (real) =>
        real.map((one) => (one.id === 'outbox' ? { id: 'issues', setup: () => ({ publisher }) } : one)),
    });
    const tag = (name: string, commit: string) =>
      execFileSync('git', ['tag', name, commit], { cwd: repository.directory });
    tag('v2.3.0', repository.head);
    tag('v2.4.1', repository.head);
    let events = 0;
    const crash = async (release: string) => {
      const sent = {
        ...cartCrash(`crash-${++events}`, repository.head, 'boom'),
        fingerprint: ['a'],
        release,
      };
      return (await engine.ingest({ crash: sent })).run_id ?? '';
    };
    const first = await crash('2.2.0');
    await engine.approveGateOne(first, ADA);
    await engine.approveGateTwo(first, ADA);
    publisher.closeIssue(1, 'completed', {
      commit: repository.head,
      pull_request: { number: 7, url: 'https://code.example/pull/7' },
    });

    const { page, problems } = await visit(t, `${core.url}/#${first}`);
    await signIn(page);
    await page.locator('.gate-bar[data-gate="Published"]').waitFor();
    t.equal(await page.locator('.story').count(), 0, 'it did not come back');
    // A crash that git answers too late for is counted on the first run.
    let second = first;
    while (second === first) second = await crash('2.4.1');
    await page.locator('.run-head .pill', { hasText: 'came back' }).waitFor();
    await page.locator('.story li').nth(1).waitFor();
    const lines = () => page.locator('.story li > p').allTextContents();
    const short = repository.head.slice(0, 7);
    const past = new RegExp(
      `^First seen in 2\\.2\\.0, published as #1, fixed by #7 in ${short} in v2\\.3\\.0`,
    );
    t.match(await lines(), [past, /^Back in 2\.4\.1$/], 'without a reload');
    await page.locator('.story a', { hasText: 'Gate 1' }).click();
    await page.locator('.gate-bar[data-gate="Gate 1"]').waitFor();
    await page.locator('.story li[aria-current]', { hasText: 'Back in 2.4.1' }).waitFor();
    t.match(await lines(), [past, /^Back in 2\.4\.1$/], 'the later run tells the same');
    await page.locator('.story a', { hasText: 'Published' }).click();
    await page.locator('.gate-bar[data-gate="Published"]').waitFor();

    await engine.approveGateOne(second, ADA);
    await engine.rejectGateTwo(second, { name: 'grace', via: 'api' }, { reason: HOSTILE, to: 'staged_raw' });
    const row = page.locator(`[data-run="${second}"]`);
    await row.locator('.pill', { hasText: 'returned' }).waitFor();
    t.match(await row.locator('.pill[data-tone=red]').allTextContents(), ['regression']);
    t.match(
      await row.locator('.place').textContent(),
      /^“<img src=x onerror=.* \*\*wrong\*\* commit ⟨202e⟩” · /,
    );
    await row.click();
    await page.locator('.returned', { hasText: 'Returned by grace' }).waitFor();
    t.match(
      await page.locator('.returned .said').textContent(),
      /^<img src=x .*\n\*\*wrong\*\* commit ⟨202e⟩$/,
    );
    t.same(await axe(page), []);
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      t.equal(await overflow(page), 0, `${width}`);
    }

    const { json } = await api({ path: `/api/v1/runs/${second}/story` });
    t.match(json, { whole: true, chapters: [{ run_id: first, fixed_in: 'v2.3.0' }, { run_id: second }] });
    t.equal((await api({ path: '/api/v1/runs/run_none/story' })).json.code, 'run_not_found');
    const runs = async (...args: string[]) => {
      const env = { CULPRIT_TOKEN: TOKEN };
      const { code, stdout } = await culprit(['runs', ...args, '--url', core.url], { env });
      t.equal(code, 0);
      return stdout;
    };
    t.match(await runs('list'), /RUN +STATE +BACK[\s\S]*staged_raw +regression, returned/);
    const shown = await runs('show', second);
    t.match(
      shown,
      new RegExp(
        `back +regression: published as #1, fixed by #7 in ${short} in v2\\.3\\.0, back in 2\\.4\\.1\n`,
      ),
    );
    t.match(shown, /back +returned by a reviewer: grace, “<img/);
    t.match(await runs('show', first), new RegExp(`came back +in 2\\.4\\.1 as ${second}\n`));
    t.match(await runs('show', first, '--story'), new RegExp(`\\* +${first} +published[\\s\\S]*${second}`));
    t.same(JSON.parse(await runs('show', second, '--story', '--json')), json);
    t.same(problems, []);
  },
);
