import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { newToken } from '../src/server/tokens/token-text.js';
import { startCulprit as culprit } from './support/start-culprit.js';

t.test(
  'a single server shows no secret without a terminal, and a rejected token with its origin',
  async (t) => {
    const cwd = t.testdir();
    const run = async () => {
      const core = culprit(['core', '--core-port', '0', '--repository', 'no-such-folder'], cwd);
      t.match(await core.line(({ msg }) => msg === 'core is listening'), { model: /off.*OLLAMA_MODEL/ });
      core.child.kill('SIGTERM');
      return core.ended;
    };
    const first = await run();
    const secrets = JSON.parse(readFileSync(join(cwd, '.culprit/secrets.json'), 'utf8'));
    t.match(first, {
      code: 0,
      stderr: /Secrets +.*secrets\.json.*\n +Sign in .*"culprit link --data /,
      stdout: /no-such-folder.*the repository does not exist/,
    });
    t.notMatch(first.stderr, secrets.reviewerToken);
    t.equal((await run()).stderr, '', 'said once');
    const other = culprit(['core', '--core-port', '0'], cwd, { REVIEWER_TOKENS: 'ada:another-token-of-ada' });
    const { port } = await other.line(({ msg }) => msg === 'core is listening');
    const url = `http://127.0.0.1:${port}`;
    t.match(await culprit(['runs', '--url', url], cwd).ended, {
      code: 4,
      stderr: /rejected the token from .*secrets\.json\. .*REVIEWER_TOKENS.*CULPRIT_TOKEN/,
    });
    t.match(await culprit(['runs', '--url', url], cwd, { CULPRIT_TOKEN: 'guessed' }).ended, {
      code: 4,
      stderr:
        /rejected the token from CULPRIT_TOKEN\. Use a token that core was started with, or an API token/,
    });
    const unknown = newToken();
    for (const [CULPRIT_TOKEN, stderr] of [
      [unknown, /from CULPRIT_TOKEN\. This token is unknown, or it has been revoked/],
      [unknown.slice(0, -1), /from CULPRIT_TOKEN\. This API token is mistyped/],
      [`${unknown}\n\nStore it now`, /from CULPRIT_TOKEN\. The token contains a line break/],
    ] as const)
      t.match(await culprit(['runs', '--url', url], cwd, { CULPRIT_TOKEN }).ended, { code: 4, stderr });
    const CULPRIT_TOKEN = 'another-token-of-ada';
    const asks = async (env: Record<string, string>, stderr: RegExp, ...flags: string[]) =>
      t.match(await culprit(['runs', ...flags], cwd, { CULPRIT_TOKEN, ...env }).ended, { code: 5, stderr });
    const nowhere = 'http://127.0.0.1:1';
    await Promise.all([
      culprit(['runs'], cwd, { CULPRIT_TOKEN }).ended.then(({ code }) =>
        t.equal(code, 0, 'finds it by its data'),
      ),
      asks({ CULPRIT_URL: nowhere }, /^culprit: http:..127\.0\.0\.1:1 does not .* comes from CULPRIT_URL\./),
      asks({ CULPRIT_URL: url }, /:1 does not respond.* comes from --url\./, '--url', nowhere),
      asks(
        { CORE_PORT: '1' },
        /from CORE_PORT; .*none.*--data \(DATA_DIR\).*--url \(CULPRIT_URL\)/,
        '--data',
        'none',
      ),
    ]);
    const stranger = createHttpServer(({ url: path }, response) => {
      const run = { run_id: 'run_1', state: 'staged_raw', occurrences: 1, last_seen: '', title: '' };
      const runs = ['shop', 'cart'].map((project) => ({ ...run, project }));
      if (path?.startsWith('/two')) response.end(JSON.stringify({ runs, next: null }));
      else if (path?.endsWith('runs?limit=50')) response.writeHead(404).end('<html>');
      else response.end('{}');
    });
    t.teardown(() => stranger.close());
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const at = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    const [lost, page, link, two] = await Promise.all(
      ['runs', 'runs', 'link', 'runs'].map((name, which) => {
        const CULPRIT_URL = [`${url}/wrong`, at, at, `${at}/two`][which] ?? '';
        return culprit([name], cwd, { CULPRIT_TOKEN, CULPRIT_URL }).ended;
      }),
    );
    t.match(lost, { code: 3, stderr: `${url}/wrong has no such path. This address comes from CULPRIT_URL.` });
    t.match(page, { code: 1, stderr: /runs sent a reply .* \(status 404\)\. This .* from CULPRIT_URL\./ });
    t.match(link, { code: 1, stdout: '', stderr: `${at} sent a reply that is not Culprit’s: no link. This` });
    t.match(two?.stdout, /^RUN +PROJECT +STATE .*\nrun_1 +shop .*\nrun_1 +cart /);
    other.child.kill('SIGKILL');
    await other.ended;
    const killed = new RegExp(
      `^culprit: ${url} .*running-core\\.json: process ${other.child.pid} was killed`,
    );
    await asks({}, killed);
  },
);
