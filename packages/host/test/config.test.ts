import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { type IssueToPublish, isCulpritError, silentLogger } from '@culprit/core/connector';
import { memoryPublisher } from '@culprit/core/testing';
import t from 'tap';
import { banner } from '../src/cli/banner.js';
import { composeCore, hostOf, usedHosts } from '../src/compose/core-parts.js';
import { composeExplainers, describeModel } from '../src/compose/explainers.js';
import { byAddress } from '../src/compose/hosts/by-address.js';
import { systemsOf, systemsText } from '../src/compose/hosts/describe.js';
import { HOST_SETTINGS, HOSTS } from '../src/compose/hosts/hosts.js';
import { composeChat, composeNotifiers, describeChat } from '../src/compose/notifiers.js';
import { enginePolicy, isShared, storageAddress } from '../src/config/config.js';
import { type LoadOptions, loadConfig } from '../src/config/load-config.js';
import { isLoopback, urlOf } from '../src/config/network.js';
import { readConfig } from '../src/config/read-config.js';
import type { Setting } from '../src/config/setting.js';
import { suggest } from '../src/config/setting.js';
import { defaultText, SETTINGS, type SettingKey } from '../src/config/settings.js';
import { oidcOptions } from '../src/server/oidc/options.js';

const read = (env: Record<string, string>, cwd = '/nowhere', flags: Record<string, string> = {}) =>
  readConfig({ env, flags, cwd }).config;

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return isCulpritError(error, 'configuration') ? error.message : `bug: ${String(error)}`;
  }
  return 'accepted';
}

t.test('defaults', (t) => {
  const config = read({});
  t.match(config, {
    host: '127.0.0.1',
    edgePort: 8001,
    corePort: 8000,
    coreUrl: null,
    publicUrl: null,
    dataDirectory: '/nowhere/.culprit',
    storageUrl: 'file:/nowhere/.culprit',
    repository: null,
    projects: { default: {} },
    logLevel: 'info',
    requireSecondPerson: false,
    requireBoundApproval: false,
    quietAfterReject: 604_800_000,
    standardWebhookTolerance: 300,
    sentryHookTolerance: null,
    warnings: [],
  });
  t.end();
});

t.test('flags over environment over file over defaults', (t) => {
  const cwd = t.testdir({
    'culprit.json': JSON.stringify({
      edgePort: 1,
      corePort: 2,
      logLevel: 'debug',
      trustedProxies: ['10.0.0.0/8', '::1'],
      limits: { keyRate: 5 },
      projects: {
        shop: { repository: './shop', labels: ['crash'], commitLabels: true },
        default: { assignees: ['ada'], assign: 'suspect' },
      },
    }),
    'other.json': '{"corePort":9}',
    shop: {},
  });
  const env = { CORE_PORT: '3', LOG_LEVEL: 'warn', ASSIGN: 'owner', CODE_MAPPINGS: '/app=,dist = src' };
  const config = read(env, cwd, { 'log-level': 'error' });
  t.match(config, { edgePort: 1, corePort: 3, logLevel: 'error', limits: { keyRate: 5 } });
  t.same(config.trustedProxies, ['10.0.0.0/8', '::1']);
  t.same(config.projects, {
    default: {
      mappings: [
        { stack_root: '/app', source_root: '' },
        { stack_root: 'dist', source_root: 'src' },
      ],
      assignees: ['ada'],
      assign: 'suspect',
    },
    shop: { repository: join(cwd, 'shop'), labels: ['crash'], commitLabels: true },
  });
  t.equal(read({}, cwd, { config: 'other.json' }).corePort, 9);
  t.equal(read({ CULPRIT_CONFIG: 'other.json' }, cwd).corePort, 9);
  t.match(
    refusal(() => read({}, cwd, { config: 'none.json' })),
    /Cannot read the configuration file .*none\.json \(ENOENT\)/,
  );
  t.end();
});

t.test('unknown keys are errors with a suggestion', (t) => {
  const cwd = t.testdir();
  const file = (text: string) => {
    writeFileSync(join(cwd, 'culprit.json'), text);
    return refusal(() => read({}, cwd));
  };
  t.equal(file('{"corPort":1}'), 'culprit.json: corPort is not a setting. Did you mean corePort?');
  t.equal(
    file('{"reviewer_tokens":"a:b"}'),
    'culprit.json: reviewer_tokens is not a setting. Did you mean reviewerTokens?',
  );
  t.equal(file('{"zzzzzz":1}'), 'culprit.json: zzzzzz is not a setting.');
  t.equal(
    file('{"projects":{"web":{"resolvedRuns":"shut"}}}'),
    'projects.web.resolvedRuns must be one of comment, close, nothing.',
  );
  t.match(file('{"projects":{"shop":{"repositry":"x"}}}'), /Did you mean repository\?$/);
  t.match(file('{"projects":{"shop":{"assign":"all"}}}'), /must be one of none, owner, suspect/);
  t.match(file('{"limits":{"keyrates":1}}'), /Did you mean keyRate\?$/);
  t.match(file('{"limits":{"keyRate":0}}'), /^limits.keyRate must be a whole number above 0\.$/);
  t.match(file('{"limits":{"jsonDepth":65}}'), /limits.jsonDepth must be a whole number from 1 to 64/);
  t.match(file('{"corePort":{}}'), /corePort must be text, a number or a list/);
  t.match(
    file('{"reviewerTokens":"a:hunter2",}'),
    /not valid JSON from line 1, column 31 on\. It must contain one/,
  );
  t.notMatch(file('{"reviewerTokens":"a:hunter2",}'), /hunter2/);
  t.match(read({ REVIEWER_TOKEN: 'a:b', HOME: '/x', PATH: '/y' }).warnings, [
    /does not use .*REVIEWER_TOKEN\. Did you mean REVIEWER_TOKENS/,
  ]);
  t.equal(suggest('vresion', ['version', 'up', 'help']), 'version');
  t.equal(suggest('banana', ['version', 'up', 'help']), null);
  t.end();
});

t.test('formats, and errors that never repeat a value', (t) => {
  const config = read({
    TRACKER_HOOK_SECRET: 'plain,aGVsbG8gd29ybGQ=,shop=one,shop=two',
    SERVICE_TOKENS: 'ci:t1,shop/batch:t2:with:colons',
    SDK_KEYS: 'default:0123456789abcdef,shop:abcdef0123456789',
    REVIEWER_TOKENS: 'Ada Lovelace:t3, grace:t4',
    INTERNAL_GATEWAY_SECRET: 'fresh,old',
  });
  const hooks = config.trackerHookSecret.map(({ project, secret }) => [project, secret.reveal()]);
  t.same(hooks, [
    ['default', 'plain'],
    ['default', 'aGVsbG8gd29ybGQ='],
    ['shop', 'one'],
    ['shop', 'two'],
  ]);
  t.same(
    config.serviceTokens.map(({ project, name, token }) => [project, name, token.reveal()]),
    [
      ['default', 'ci', 't1'],
      ['shop', 'batch', 't2:with:colons'],
    ],
  );
  t.same(
    config.reviewerTokens.map(({ name }) => name),
    ['Ada Lovelace', 'grace'],
  );
  t.same(
    config.internalGatewaySecret.map((secret) => secret.reveal()),
    ['fresh', 'old'],
  );
  for (const printed of [
    inspect(config, { depth: 9 }),
    JSON.stringify(config),
    `${config.internalGatewaySecret}`,
  ]) {
    t.notMatch(printed, /plain|t1|t3|'fresh'|"fresh"/);
    t.match(printed, /\[redacted\]/);
  }
  const bad: [Record<string, string>, RegExp][] = [
    [{ EDGE_PORT: '65536' }, /^EDGE_PORT must be a port/],
    [{ CORE_PORT: 'hunter2' }, /^CORE_PORT must be a port/],
    [{ HOST: 'http://x' }, /^HOST must be an address/],
    [{ PUBLIC_URL: 'culprit.example' }, /^PUBLIC_URL must be a full URL|must start with http/],
    [{ PUBLIC_URL: 'https://culprit.example/board' }, /must not contain a path/],
    [{ CORE_URL: 'https://u:hunter2@core' }, /must not contain a user/],
    [{ CORE_URL: 'http://core:8000' }, /must start with https.*ALLOW_PLAINTEXT=1/],
    [{ ALLOW_PLAINTEXT: 'perhaps' }, /must be 1 or 0/],
    [{ INTERNAL_GATEWAY_SECRET: 'a,b,c' }, /at most two secrets/],
    [{ TRACKER_HOOK_SECRET: 'shop=a,shop=b,shop=c' }, /at most two secrets for project shop/],
    [{ SERVICE_TOKENS: 'hunter2' }, /must be name:token/],
    [{ SERVICE_TOKENS: 'a/b/c:hunter2' }, /contains a name/],
    [{ SERVICE_TOKENS: 'a:hunter2,b:hunter2' }, /gives two names the same token/],
    [{ REVIEWER_TOKENS: ':hunter2' }, /must be name:token/],
    [{ SDK_KEYS: 'shop:hunter 2' }, /public keys of 1 to 64/],
    [{ CODE_MAPPINGS: 'hunter2' }, /stack root=source root/],
    [{ STORAGE_URL: 'redis://:hunter2@ho st' }, /must be redis:/],
    [{ STORAGE_URL: 'mysql:x' }, /must be memory:, file:<dir>, sqlite:<file> or redis:/],
    [{ QUIET_AFTER_REJECT: 'hunter2' }, /must be a duration such as 7d/],
    [
      { INVESTIGATE_PRICE: 'hunter2' },
      /INVESTIGATE_PRICE must be the prices of input and output, such as 0.25\/2/,
    ],
    [{ INVESTIGATE_COST_PER_DAY: '5' }, /INVESTIGATE_COST_PER_DAY needs INVESTIGATE_PRICE/],
    [{ QUOTAS: 'hunter2=1/2/3' }, /must be scope=<new runs an hour>/],
    [{ QUOTAS: 'door=3000/9/9' }, /at most half of its project’s quota/],
    [{ EVENT_BYTES: '100' }, /a number of bytes from 65536 to 1048576/],
    [{ LOG_LEVEL: 'loud' }, /must be one of debug, info, warn, error/],
  ];
  for (const [env, expected] of bad) {
    const message = refusal(() => read(env));
    t.match(message, expected, Object.keys(env).join());
    t.notMatch(message, /hunter2/);
  }
  const gates = enginePolicy(read({ REQUIRE_BOUND_APPROVAL: '1', QUIET_AFTER_REJECT: '36h' }));
  t.match(gates, { requireSecondPerson: false, requireBoundApproval: true, quietAfterRejectMs: 129_600_000 });
  t.same(enginePolicy(read({ QUOTAS: 'off', EVENT_BYTES: '65536' })).quotas, null);
  t.match(read({ QUOTAS: 'door=10/20/30, key=5/6/7' }).quotas, {
    key: { new_runs: 5, open_runs: 6, bytes: 7 * 1024 * 1024 },
    door: { new_runs: 10, open_runs: 20, bytes: 30 * 1024 * 1024 },
    project: { new_runs: 4_000 },
  });
  t.equal(read({ QUIET_AFTER_REJECT: '0' }).quietAfterReject, 0);
  t.equal(read({ CORE_URL: 'http://core:8000', ALLOW_PLAINTEXT: '1' }).coreUrl, 'http://core:8000');
  t.equal(read({ CORE_URL: 'http://[::1]:8000/' }).coreUrl, 'http://[::1]:8000');
  t.end();
});

t.test('storage, data directory and repository', (t) => {
  const cwd = t.testdir({ acme: { shop: {} } });
  const place = ({ dataDirectory, storageUrl }: ReturnType<typeof read>) => [dataDirectory, storageUrl];
  t.same(place(read({ STORAGE_URL: 'file:data' }, cwd)), [join(cwd, 'data'), `file:${join(cwd, 'data')}`]);
  t.same(place(read({ STORAGE_URL: 'memory:' }, cwd)), [join(cwd, '.culprit'), 'memory:']);
  const shared = read({ STORAGE_URL: 'rediss://core:hunt%40r2@redis.local:6390/2' }, cwd);
  t.same(place(shared), [join(cwd, '.culprit'), 'rediss://core@redis.local:6390/2']);
  t.notMatch(JSON.stringify(shared), /hunt/);
  t.equal(storageAddress(shared), 'rediss://core:hunt%40r2@redis.local:6390/2');
  t.same([isShared(shared), isShared(read({}, cwd))], [true, false]);
  t.same(place(read({}, cwd, { data: 'here' })), [join(cwd, 'here'), `file:${join(cwd, 'here')}`]);
  t.same(place(read({ STORAGE_URL: 'file:a', DATA_DIR: 'b' }, cwd)), [
    join(cwd, 'b'),
    `file:${join(cwd, 'a')}`,
  ]);
  t.equal(read({ REPOSITORY: 'acme/shop' }, cwd).repository, join(cwd, 'acme/shop'), 'an existing folder');
  const remote = read({ REPOSITORY: 'acme/other' }, cwd);
  t.equal(remote.repository, 'acme/other');
  t.match(
    refusal(() => composeCore(remote)),
    /acme\/other is a repository on GitHub, and GITHUB_TOKEN is not set\. .* or give the path/,
  );
  t.equal(read({ REPOSITORY: '.' }, cwd).repository, cwd);
  const explained = (env: Record<string, string>) => composeExplainers(read(env)).map(({ id }) => id);
  t.same(explained({}), ['template']);
  t.same(explained({ OLLAMA_HOST: 'gpu:11434' }), ['template'], 'a server without a model enables nothing');
  t.same(explained({ OLLAMA_MODEL: 'llama3.2:3b' }), ['ollama', 'template'], 'the model first');
  t.match(describeModel(read({ OLLAMA_HOST: 'gpu' })), /^off; .*OLLAMA_MODEL is not\.$/);
  const model = read({ OLLAMA_MODEL: 'llama3.2:3b', OLLAMA_HOST: '0.0.0.0' });
  t.match(describeModel(model), 'llama3.2:3b at http://127.0.0.1:11434;');
  t.same(model.warnings, []);
  t.match(read({ OLLAMA_MODEL: 'm', OLLAMA_HOST: 'gpu' }).warnings, [
    /others on the network can read prompts/,
  ]);
  t.same(read({ OLLAMA_MODEL: 'm', OLLAMA_HOST: 'gpu', ALLOW_PLAINTEXT: '1' }).warnings, []);
  const server = { OPENAI_MODEL: 'qwen3-8b', OPENAI_BASE_URL: 'http://gpu:8080/v1' };
  t.same(explained(server), ['openai', 'template']);
  t.match(describeModel(read(server)), 'qwen3-8b at http://gpu:8080/v1;');
  t.match(read(server).warnings, [/^OPENAI_BASE_URL is http .* others on the network can read prompts/]);
  for (const [more, problem] of [
    [{ OLLAMA_MODEL: 'm' }, /OLLAMA_MODEL and OPENAI_MODEL are both set/],
    [{ OPENAI_BASE_URL: '' }, /OPENAI_MODEL needs OPENAI_BASE_URL/],
    [{ OPENAI_API_KEY: 'sk-hunter2' }, /must start with https:.* OPENAI_API_KEY is sent there/],
  ] as const)
    t.match(
      refusal(() => composeExplainers(read({ ...server, ...more }))),
      problem,
    );
  t.match(
    refusal(() => read({ OLLAMA_HOST: 'http://a:hunter2@gpu' })),
    /^OLLAMA_HOST must be a host/,
  );
  t.match(
    refusal(() => read({ OLLAMA_MODEL: 'a b' })),
    /^OLLAMA_MODEL must be a model name/,
  );
  t.end();
});

t.test('code host and publisher are selected by address, independently', (t) => {
  const cwd = t.testdir({ shop: {} });
  const hosts = (env: Record<string, string>) =>
    usedHosts(read(env, cwd)).map(({ host, roles, repositories }) => ({
      code: roles.codeHost ? host.titles.codeHost : null,
      issues: roles.publisher ? host.titles.publisher : null,
      addresses: [...new Set(repositories.map(({ address }) => address))],
    }));
  const token = { GITHUB_TOKEN: 'token' };
  const shop = join(cwd, 'shop');
  const both = { code: 'local git', issues: 'the local outbox' };
  t.same(hosts({}), [{ ...both, addresses: [] }], 'no account is needed');
  t.same(hosts({ REPOSITORY: 'shop' }), [{ ...both, addresses: [shop] }]);
  const github = [{ code: 'GitHub', issues: 'GitHub', addresses: ['acme/web'] }];
  for (const REPOSITORY of ['acme/web', 'github:acme/web']) t.same(hosts({ ...token, REPOSITORY }), github);
  t.same(hosts({ ...token, REPOSITORY: './shop', PUBLISH_REPOSITORY: 'acme/web' }), [
    { code: null, issues: 'GitHub', addresses: ['acme/web'] },
    { code: 'local git', issues: null, addresses: [shop] },
  ]);
  t.same(hosts({ ...token, REPOSITORY: 'acme/web', PUBLISH_REPOSITORY: 'outbox:' }), [
    { code: 'GitHub', issues: null, addresses: ['acme/web'] },
    { code: null, issues: 'the local outbox', addresses: ['outbox:'] },
  ]);
  const server = { FORGEJO_URL: 'https://code.example.org', FORGEJO_TOKEN: 'a' };
  for (const REPOSITORY of ['forgejo:acme/web', 'gitea:acme/web'])
    t.same(hosts({ ...server, REPOSITORY }), [
      { code: 'Forgejo', issues: 'Forgejo', addresses: ['forgejo:acme/web'] },
    ]);
  const compose = (env: Record<string, string>) =>
    refusal(() => composeCore(read({ ...server, REPOSITORY: 'gitea:acme/web', ...env }, cwd)));
  t.match(compose({ FORGEJO_TOKEN: '' }), /forgejo:acme\/web .* FORGEJO_TOKEN is not set/);
  t.match(compose({ FORGEJO_URL: '' }), /FORGEJO_URL is not set/);
  t.match(compose({ FORGEJO_URL: 'http://code.example.org' }), /FORGEJO_URL must start with https/);
  t.match(
    refusal(() => hosts({ REPOSITORY: 'nowhere:acme/web' })),
    /No code host recognises .* Use owner\/name \(GitHub\) or .*path \(local git\)/,
  );
  writeFileSync(
    join(cwd, 'culprit.json'),
    JSON.stringify({ projects: { default: { repository: 'acme/web' }, shop: { repository: './shop' } } }),
  );
  t.same(hosts(token), [...github, { ...both, addresses: [shop] }], 'each project has its own');
  t.same(systemsOf(read(token, cwd), hostOf).map(systemsText), [
    'default: code acme/web (GitHub), issues acme/web (GitHub)',
    `shop: code ${shop} (local git), issues the local outbox`,
  ]);
  for (const [name, { settings, guide }] of Object.entries(HOSTS)) {
    for (const key of Object.keys(settings)) t.ok(key in SETTINGS, `${name}: ${key} is in the table`);
    t.ok(existsSync(new URL(`../../../docs/${guide}`, import.meta.url)), `${name} has a guide`);
  }
  t.end();
});

t.test('where projects use several hosts, each call goes to the host of its repository', async (t) => {
  const lists = (id: string, listsAtOnce: boolean) => ({
    ...memoryPublisher(),
    listsAtOnce,
    create: async (issue: IssueToPublish) => Promise.reject(new Error(`${id} got ${issue.repository}`)),
  });
  const roles = { codeHost: false, publisher: true };
  const github = { id: 'github', setup: () => ({ publisher: lists('github', false) }) };
  const outbox = { id: 'outbox', setup: () => ({ publisher: lists('outbox', true), check: async () => [] }) };
  const one = [{ host: HOSTS.github, roles, connectors: [github] }];
  t.equal(byAddress(one)[0], github, 'one host: as it is');
  const all = byAddress([...one, { host: HOSTS.local, roles, connectors: [outbox] }]);
  t.same(
    all.map(({ id }) => id),
    ['github', 'outbox', 'repositories'],
  );
  const context = { fetch, logger: silentLogger, signal: new AbortController().signal };
  const parts = [];
  for (const { setup } of all) parts.push(await setup(context));
  t.same(
    parts.map(({ publisher, check }) => [publisher !== undefined, check !== undefined]),
    [
      [false, false],
      [false, true],
      [true, false],
    ],
    'the engine sees one publisher, and every check',
  );
  const publisher = parts.at(-1)?.publisher;
  const issue = { title: 'a', body: 'b', labels: [], assignees: [], marker: 'c' };
  const create = async (repository: string) => publisher?.create({ ...issue, repository }, context.signal);
  await t.rejects(create('acme/web'), { message: 'github got acme/web' });
  for (const address of ['outbox:', '/srv/shop'])
    await t.rejects(create(address), { message: `outbox got ${address}` });
  t.equal(publisher?.systems?.of('acme/web').listsAtOnce, false);
  t.equal(publisher?.systems?.of('outbox:').listsAtOnce, true);
  await t.rejects(create('nowhere'), {
    code: 'repository_not_found',
    message: /No publisher .* has nowhere\./,
  });
});

t.test('secrets: generated on loopback, once, mode 0600; required elsewhere', (t) => {
  const cwd = t.testdir({ older: { data: {} } });
  const older = join(cwd, 'older');
  const load = (options: LoadOptions) => loadConfig({ cwd, env: {}, ...options });
  const first = load({});
  t.equal(first.fresh.length, 5);
  t.equal(statSync(first.file).mode & 0o777, 0o600);
  t.equal(first.file, join(cwd, '.culprit/secrets.json'));
  t.equal(
    readFileSync(join(cwd, '.culprit/.gitignore'), 'utf8'),
    '*\n',
    'nothing is committed to a repository',
  );
  t.equal(load({ cwd: older, env: { DATA_DIR: join(older, 'data') } }).fresh.length, 5);
  t.notOk(existsSync(join(older, 'data/.gitignore')), 'an existing folder may be a repository itself');
  const again = load({});
  t.same(again.fresh, []);
  t.equal(again.config.reviewerTokens[0]?.token.reveal(), first.config.reviewerTokens[0]?.token.reveal());
  const kept = JSON.parse(readFileSync(first.file, 'utf8'));
  t.match(kept.reviewerToken, /^[0-9a-f]{64}$/, 'can follow --token: it never begins with a dash');
  t.same(Object.keys(kept), [
    'internalGatewaySecret',
    'trackerHookSecret',
    'serviceToken',
    'sdkKey',
    'reviewerToken',
  ]);
  t.equal(new Set(Object.values(kept)).size, 5);
  t.match(kept.sdkKey, /^[0-9a-f]{32}$/);

  const mixed = load({
    env: { TRACKER_HOOK_SECRET: '', SDK_KEYS: 'shop:0123456789abcdef', REVIEWER_TOKENS: '' },
  });
  t.same(mixed.config.trackerHookSecret, [], 'an empty secret disables a door');
  t.same(mixed.config.sdkKeys, [{ project: 'shop', key: '0123456789abcdef' }]);
  t.same(mixed.generated, ['internalGatewaySecret', 'serviceTokens', 'reviewerTokens']);

  const own = join(cwd, 'own');
  const withToken = load({ env: { DATA_DIR: own, REVIEWER_TOKENS: 'ada:token-of-ada' } });
  const stored = () => JSON.parse(readFileSync(withToken.file, 'utf8'));
  t.notOk('reviewerToken' in stored(), 'a secret that is set is not generated');
  const before = stored();
  const without = load({ env: { DATA_DIR: own } });
  t.same(without.fresh, [{ key: 'reviewerTokens', project: 'default' }], 'it is added when needed');
  t.match(stored(), { ...before, reviewerToken: without.config.reviewerTokens[0]?.token.reveal() });
  t.equal(statSync(withToken.file).mode & 0o777, 0o600);
  const urls = { edgeUrl: 'http://127.0.0.1:8001', coreUrl: '', boardUrl: '', servedBy: '' };
  const shown = (loaded: typeof first, onTerminal = true) => banner({ ...loaded, ...urls, onTerminal });
  for (const text of [shown(first), shown(again)])
    t.match(text, `http://${kept.sdkKey}@127.0.0.1:8001/1`, 'the DSN, every time');
  t.match(shown(first), new RegExp(`Token +${kept.reviewerToken} {2}\\(signs in; kept in that file\\)`));
  t.notMatch(shown(again) + shown(first, false), kept.reviewerToken, 'shown only once, and on a terminal');
  const everywhere = { HOST: '0.0.0.0' };
  t.match(
    refusal(() => load({ env: everywhere })),
    /INTERNAL_GATEWAY_SECRET, TRACKER_HOOK_SECRET, SERVICE_TOKENS, SDK_KEYS, REVIEWER_TOKENS/,
  );
  t.match(
    refusal(() => load({ env: everywhere, role: 'core' })),
    /Set INTERNAL_GATEWAY_SECRET, REVIEWER_TOKENS,/,
  );
  t.notMatch(
    refusal(() => load({ env: everywhere, role: 'edge' })),
    /REVIEWER_TOKENS/,
  );
  const env = { ...everywhere, INTERNAL_GATEWAY_SECRET: 'x', SERVICE_TOKENS: 'a:b', REVIEWER_TOKENS: 'a:c' };
  t.same(load({ env }).generated, []);

  mkdirSync(join(cwd, 'broken'));
  writeFileSync(join(cwd, 'broken/secrets.json'), '{"serviceToken":"hunter2"');
  const broken = refusal(() => load({ flags: { data: 'broken' } }));
  t.match(broken, /does not contain the generated secrets/);
  t.notMatch(broken, /hunter2/);
  t.end();
});

t.test('addresses and the table of settings', (t) => {
  for (const host of ['127.0.0.1', '127.8.9.1', '::1', '[::1]', 'LOCALHOST']) t.ok(isLoopback(host), host);
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example', 'localhost.example'])
    t.notOk(isLoopback(host));
  t.equal(urlOf('0.0.0.0', 1), 'http://127.0.0.1:1');
  t.equal(urlOf('::', 1), 'http://[::1]:1');
  const keys = Object.keys(SETTINGS) as SettingKey[];
  const variables = keys.flatMap((key) => SETTINGS[key].env ?? []);
  t.equal(new Set(variables).size, variables.length, 'each variable sets one setting');
  for (const key of keys) {
    const row = SETTINGS[key];
    t.match(row.meaning, /\.$/, `${key} has a sentence`);
    t.ok(row.type.format && defaultText(row), key);
  }
  const marked = (key: SettingKey) => SETTINGS[key].secret === true;
  const hosts = Object.values<Setting>(HOST_SETTINGS).flatMap(({ env, secret }) =>
    secret === true && env !== null ? [[env, 'a'] as const] : [],
  );
  const given = read({
    ...Object.fromEntries(hosts),
    ...{
      INTERNAL_GATEWAY_SECRET: 'a',
      TRACKER_HOOK_SECRET: 'a',
      SERVICE_TOKENS: 'a:b',
      REVIEWER_TOKENS: 'a:c',
    },
    ...{
      SENTRY_HOOK_SECRETS: 'a',
      STANDARD_WEBHOOK_SECRETS: 'a',
      AUDIT_KEY: 'a'.repeat(40),
      GITHUB_TOKEN: 'a',
      GITHUB_APP_KEY: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
        type: 'pkcs8',
        format: 'pem',
      }) as string,
    },
    ...{ GITHUB_PUBLISH_TOKEN: 'a', SLACK_BOT_TOKEN: 'a', SLACK_SIGNING_SECRET: 'a' },
    ...{ GITHUB_WEBHOOK_SECRET: 'a', OPENAI_API_KEY: 'a', OIDC_CLIENT_SECRET: 'a' },
    ...{ GITLAB_TOKEN: 'a', GITLAB_PUBLISH_TOKEN: 'a', GITLAB_WEBHOOK_SECRET: 'a' },
    ...{ FORGEJO_TOKEN: 'a', FORGEJO_PUBLISH_TOKEN: 'a', FORGEJO_WEBHOOK_SECRET: 'a' },
    ...{ NOTIFY_WEBHOOK_URL: 'https://a', NOTIFY_WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
  });
  const secret = keys.filter((key) => JSON.stringify(given[key])?.includes('[redacted]'));
  t.same(
    secret,
    keys.filter((key) => marked(key) && key !== 'storageUrl'),
    'every secret is marked',
  );
  t.end();
});

t.test('roles of people, in all projects and in one', (t) => {
  const roles = (text: string) => read({ OIDC_ROLES: text }).oidcRoles;
  t.same(roles('shop-leads=reviewer@shop,shop-leads=reader, cn=a=operator@*,*=triager@web'), {
    'shop-leads': ['reviewer@shop', 'reader'],
    'cn=a': ['operator'],
    '*': ['triager@web'],
  });
  const inFile = (oidcRoles: unknown) =>
    read({}, t.testdir({ 'culprit.json': JSON.stringify({ oidcRoles }) })).oidcRoles;
  const object = { 'cn=dev,dc=acme': ['reviewer@shop', 'reader@web'], ops: 'operator' };
  t.same(inFile(object), { ...object, ops: ['operator'] });
  t.match(
    refusal(() => inFile({ ops: [{}] })),
    /texts, or lists of texts/,
  );
  for (const [text, why] of [
    ['a=admin', /one of the roles reader/],
    ['a=reviewer@', /names a project/],
    ['a=reviewer@b c', /names a project/],
    ['a=@shop', /one of the roles/],
    ['a=reader,a=reviewer@*', /two roles in one project/],
    ['a=reader@shop,a=reviewer@shop', /two roles in one project/],
  ] as const)
    t.match(
      refusal(() => roles(text)),
      why,
      text,
    );
  t.match(
    refusal(() =>
      oidcOptions({ issuer: 'https://id.example', clientId: 'c', roles: { a: 'admin@shop' as never } }),
    ),
    /admin@shop.*is not one of the roles/,
  );
  t.end();
});

t.test('Slack and a webhook: incomplete settings are errors', async (t) => {
  const ids = (env: Record<string, string>) =>
    composeNotifiers(read(env))('http://127.0.0.1:8000').map(({ id }) => id);
  t.same(ids({}), []);
  const bot = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_CHANNEL: 'C0123456789' };
  const all = { ...bot, SLACK_SIGNING_SECRET: 'signing-secret', SLACK_REVIEWERS: 'U1ADA:ada, W2B0B:Bob B.' };
  t.same(ids(bot), ['slack']);
  t.equal(composeChat(read(bot), silentLogger), null, 'no signing secret: the door is closed');
  composeChat(read(all), silentLogger)?.close();
  t.same(read(all).slackReviewers, { U1ADA: 'ada', W2B0B: 'Bob B.' });
  t.match(describeChat(read({})), /^off/);
  t.match(describeChat(read(bot)), /without buttons/);
  t.match(describeChat(read({ ...all, SLACK_REVIEWERS: '' })), /SLACK_REVIEWERS/);
  t.match(describeChat(read(all)), /2 reviewers/);
  const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const hook = { NOTIFY_WEBHOOK_URL: 'https://ops.example/hook?key=s3cret', NOTIFY_WEBHOOK_SECRET: key };
  t.same(ids({ ...hook, ...all }), ['slack', 'webhook']);
  t.notMatch(JSON.stringify(read({ ...hook, ...all })), /s3cret|whsec_|xoxb|signing-secret/);
  const refused: [Record<string, string>, RegExp][] = [
    [{ SLACK_BOT_TOKEN: 'xoxb-1' }, /needs SLACK_CHANNEL/],
    [{ SLACK_SIGNING_SECRET: 'x' }, /without SLACK_BOT_TOKEN/],
    [{ ...bot, SLACK_API_URL: 'http://slack.example/api/' }, /SLACK_API_URL must start with https/],
    [{ NOTIFY_WEBHOOK_URL: 'https://ops.example/' }, /needs NOTIFY_WEBHOOK_SECRET/],
    [{ ...hook, NOTIFY_WEBHOOK_URL: 'http://ops.example/' }, /must start with https/],
    [{ ...hook, NOTIFY_WEBHOOK_URL: 'https://u:p@ops.example/' }, /must not contain a user/],
    [{ ...hook, NOTIFY_WEBHOOK_SECRET: 'short' }, /whsec_/],
    [{ ...all, SLACK_REVIEWERS: 'ada:U1ADA' }, /U0123456789:name/],
    [{ ...all, SLACK_REVIEWERS: 'U1ADA:ada,U1ADA:eve' }, /twice/],
    [{ ...all, SLACK_CHANNEL: '#a b' }, /one channel/],
  ];
  for (const [env, wanted] of refused)
    t.match(
      refusal(() => composeNotifiers(read(env))),
      wanted,
    );
  t.same(ids({ ...hook, NOTIFY_WEBHOOK_URL: 'http://ops.example/', ALLOW_PLAINTEXT: '1' }), ['webhook']);
});

t.test('logs: an error has its message and stack, and no credential', async (t) => {
  const url = new URL('../dist/log/create-logger.js', import.meta.url).href;
  const program = `import { createLogger } from ${JSON.stringify(url)};
    const log = createLogger({ level: 'info', name: 'edge', pretty: false });
    const error = new Error('no space left');
    for (const fields of [{ error }, { err: error }, { error: { type: 'TypeError' } }, { token: 'CANARY' }])
      log.error(fields, 'it failed');`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.match(lines, [
    { error: { message: 'no space left', stack: /at / } },
    { err: { message: 'no space left', stack: /at / } },
    { error: { type: 'TypeError' } },
    { token: '[redacted]' },
  ]);
  t.notMatch(out, /CANARY/);
});
