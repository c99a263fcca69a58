import { signIn } from '../board-bench.js';
import { ADA, atGate, dialog, openRun, press } from './on-page.js';
import { morning, strangerCrash, voucherCrash } from './shop.js';
import type { Scene } from './state.js';
import type { World } from './world.js';

/** Runs with more, or less, than a stack and a suspect. */
export const EVIDENCE: Scene = {
  title: 'Evidence',
  world: { secondPerson: true },
  states: [
    {
      name: 'second-person',
      says: 'The reviewer who approved Gate 1 cannot sign.',
      async reach(world) {
        await signIn(world.page);
        const shop = await morning(world);
        await world.engine.approveGateOne(shop, { name: 'ada', via: 'board' });
        await openRun(world, shop, 'Gate 2');
        await world.page.locator('.gate-bar', { hasText: 'another reviewer must approve' }).waitFor();
      },
    },
    {
      name: 'published',
      says: 'The issue exists, exactly as signed.',
      async reach(world) {
        const run = await current(world);
        const { draft } = await world.engine.run(run);
        await world.later(4);
        await world.engine.approveGateTwo(run, { name: 'grace', via: 'board' }, { digest: draft?.digest });
        await world.page.locator('.changed', { hasText: 'grace' }).waitFor();
        await press(world.page, 'u');
        await atGate(world.page, 'Published');
        await world.page.locator('.gate-bar', { hasText: 'exactly as signed' }).waitFor();
      },
    },
    {
      name: 'fixed-dialog',
      says: 'Marking as fixed says what it does to the issue.',
      async reach({ page }) {
        await press(page, 'd');
        await dialog(page).getByRole('button', { name: 'Mark as fixed' }).waitFor();
      },
    },
    {
      name: 'regression',
      says: 'The crash is back after its issue was closed; its story says what fixed it, and in which release.',
      async reach(world) {
        await world.page.keyboard.press('Escape');
        const pull_request = { number: 31, url: 'https://github.com/acme/webshop/pull/31' };
        world.publisher.closeIssue(1, 'completed', { commit: world.fix('v2.4.1', 'v2.5.0'), pull_request });
        await world.later(5 * 60);
        const published = await current(world);
        const crash = { ...voucherCrash(world.stderr, world.ago(0)), release: 'v2.5.0' };
        // A crash that git answers too late for is counted on the published run.
        let run = published;
        while (run === published) run = await world.crash(crash);
        await openRun(world, run, 'Gate 1');
        await world.page.locator('.story li', { hasText: 'Back in v2.5.0' }).waitFor();
      },
    },
    {
      name: 'no-suspect',
      says: 'No frame is in the repository: there is no suspect and no explanation, and the page says why.',
      async reach(world) {
        const run = await world.crash(strangerCrash('The relay closed the connection'));
        await world.engine.approveGateOne(run, ADA);
        await openRun(world, run, 'Gate 2');
        await world.page.getByRole('heading', { name: 'No explanation' }).waitFor();
      },
    },
    {
      name: 'untrusted',
      says: 'Every crash came with a public key.',
      async reach(world) {
        const { runs } = await world.engine.runs({ states: ['staged_raw'], limit: 20 });
        await openRun(world, runs.find(({ platform }) => platform === 'javascript')?.run_id ?? '', 'Gate 1');
      },
    },
    {
      name: 'exceptions',
      says: 'A chain of exceptions with recursion, library frames and a minified line.',
      from: '#crash',
      async reach(world) {
        const run = await world.crash(chain());
        await world.engine.approveGateOne(run, ADA);
        await openRun(world, run, 'Gate 2');
        await world.page.locator('.exception').nth(1).waitFor();
      },
    },
    {
      name: 'hostile',
      says: 'A hostile crash is text.',
      async reach(world) {
        const run = await world.crash(hostile());
        await openRun(world, run, 'Gate 1');
      },
    },
  ],
};

function current({ page }: World): Promise<string> {
  return page.evaluate<string>('location.hash.slice(1)');
}

function frame(filename: string, name: string, lineno: number, rest: object = {}): object {
  return { filename, function: name, lineno, in_app: true, ...rest };
}

function chain(): object {
  const minified = `${'a();'.repeat(300)}boom();${'b();'.repeat(300)}`;
  const values = [
    { type: 'RangeError', value: 'percent is missing', frames: [frame('src/promo.js', 'percentOf', 8)] },
    {
      type: 'TypeError',
      value: 'The order has no total',
      frames: [
        frame('src/checkout.js', 'quote', 9),
        ...Array.from({ length: 37 }, () => frame('src/tree.js', 'visit', 9)),
        ...[1, 2].map((n) => frame(`node_modules/lib/${n}.js`, `step${n}`, n, { in_app: false })),
        frame('dist/main.min.js', 'go', 1, { colno: 1201, context_line: minified }),
      ],
    },
  ];
  return {
    platform: 'node',
    release: 'v2.4.0',
    environment: 'production',
    exception: { values: values.map(({ frames, ...rest }) => ({ ...rest, stacktrace: { frames } })) },
  };
}

function hostile(): object {
  const markup = `<img src=x onerror=alert(1)> [x](javascript:alert(1)) @everyone \u202egnp.exe`;
  const wide = 'W'.repeat(300);
  const values = [
    {
      type: 'Error',
      value: `${markup} ${wide}`,
      stacktrace: { frames: [frame(`src/${wide}.js`, wide, 3, { context_line: `${markup} ${wide}` })] },
    },
  ];
  return {
    platform: 'node',
    level: 'error',
    release: `${markup}`,
    environment: `prod ${wide}`.slice(0, 64),
    transaction: wide,
    server_name: markup,
    tags: { [wide.slice(0, 30)]: wide.slice(0, 200), [markup.slice(0, 28)]: markup },
    fingerprint: ['hostile'],
    exception: { values },
  };
}
