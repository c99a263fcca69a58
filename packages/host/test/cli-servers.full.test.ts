import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { newToken } from '../src/core/tokens/token-text.js';
import { startCulprit as culprit } from './support/start-culprit.js';

t.test('a single server shows generated secrets once, and a rejected token with its origin', async (t) => {
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
    stderr: secrets.reviewerToken,
    stdout: /no-such-folder.*the repository does not exist/,
  });
  t.notMatch((await run()).stderr, secrets.reviewerToken, 'not shown again');
  const other = culprit(['core', '--core-port', '0'], cwd, { REVIEWER_TOKENS: 'ada:another-token-of-ada' });
  const { port } = await other.line(({ msg }) => msg === 'core is listening');
  const url = `http://127.0.0.1:${port}`;
  t.match(await culprit(['runs', '--url', url], cwd).ended, {
    code: 4,
    stderr: /rejected the token from .*secrets\.json\. .*REVIEWER_TOKENS.*CULPRIT_TOKEN/,
  });
  t.match(await culprit(['runs', '--url', url], cwd, { CULPRIT_TOKEN: 'guessed' }).ended, {
    code: 4,
    stderr: /rejected the token from CULPRIT_TOKEN\. Use a token that core was started with, or an API token/,
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
  other.child.kill('SIGKILL');
  await other.ended;
  const killed = new RegExp(`^culprit: ${url} .*running-core\\.json: process ${other.child.pid} was killed`);
  await asks({}, killed);
});
