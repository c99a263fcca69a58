import { execFile, execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import t from 'tap';
import { coreBench, TOKEN } from './support/core-bench.js';
import { cartCrash } from './support/crashing-repository.js';

const { getPath } = createRequire(import.meta.url)('@sentry/cli') as { getPath(): string };
const run = promisify(execFile);

/** The real program, in a checkout. */
function sentryCli(url: string, cwd: string, token = TOKEN) {
  return async (...args: readonly string[]) => {
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: cwd,
      SENTRY_URL: url,
      SENTRY_AUTH_TOKEN: token,
      SENTRY_ORG: 'culprit',
      SENTRY_PROJECT: 'default',
      SENTRY_DISABLE_UPDATE_CHECK: '1',
    };
    return run(getPath(), args, { cwd, env }).then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        text: stdout + stderr,
      }),
    );
  };
}

t.test('the real sentry-cli records releases, commits and deploys, and drafts name them', async (t) => {
  const { api, core, engine, repository, close } = await coreBench();
  t.teardown(close);
  const cli = sentryCli(core.url, repository.directory);
  const ok = async (...args: readonly string[]) => {
    const { code, text } = await cli(...args);
    if (code !== 0) t.fail(`${args.join(' ')}: ${text}`);
    return text;
  };
  const first = execFileSync('git', ['rev-list', '--max-parents=0', 'HEAD'], {
    cwd: repository.directory,
    encoding: 'utf8',
  }).trim();
  await ok('releases', 'new', 'shop@2.4.0');
  console.log(await ok('releases', 'set-commits', 'shop@2.4.0', '--commit', `acme/shop@${first}`));
  await ok('releases', 'new', 'shop@2.4.1', '--url', 'https://ci.example/41');
  console.log(await ok('releases', 'set-commits', 'shop@2.4.1', '--auto'));
  console.log(await ok('releases', 'finalize', 'shop@2.4.1'));
  console.log(await ok('deploys', 'new', '--release', 'shop@2.4.1', '-e', 'production', '-n', 'blue'));
  console.log(await ok('deploys', 'list', '--release', 'shop@2.4.1'));
  console.log(await ok('releases', 'list'));
  console.log(await ok('releases', 'info', 'shop@2.4.1', '--show-commits', '--show-projects'));
  console.log(await ok('info'), await ok('projects', 'list'), await ok('repos', 'list'));
  console.log(
    JSON.stringify((await api({ path: '/api/0/projects/culprit/default/releases/' })).json, null, 1),
  );
  const crash = { ...cartCrash('crash-of-2.4.1', 'x'), release: 'shop@2.4.1', environment: 'production' };
  const { run_id } = await engine.ingest({ crash });
  await engine.approveGateOne(run_id ?? '', { name: 'ada', via: 'api' });
  const found = await engine.run(run_id ?? '');
  console.log(found.draft?.body, JSON.stringify(found.release_window), found.revision);
  console.log(found.suspects.map(({ reasons }) => reasons.map(({ text }) => text)));
  console.log(await engine.releases.counts('default'));
});
