import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createClient } from '@culprit/client';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { formParts } from '../src/server/sentry-api/artifact-routes.js';
import { SOURCE_MAP_LIMITS } from '../src/source-maps/limits.js';
import { coreBench, TOKEN } from './support/core-bench.js';
import { bundle, ended, filesIn, MAP, open, send, sha1 } from './support/source-maps-kit.js';
import { type Up, up } from './support/up.js';

t.setTimeout(600_000);
const run = promisify(execFile);
const { getPath } = createRequire(import.meta.url)('@sentry/cli') as { getPath(): string };
const CHUNKS = '/api/0/organizations/culprit/chunk-upload/';
const MIB = 1024 * 1024;

/** Sends the request of a form, and resolves with the socket before the answer. */
function raw(port: number, host: string, body: Buffer, token = TOKEN): Socket {
  const socket = connect(port, '127.0.0.1');
  const head = [
    `POST ${CHUNKS} HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${token}`,
    'content-type: multipart/form-data; boundary=edge',
    `content-length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return socket;
}

const form = (...chunks: readonly Buffer[]) =>
  Buffer.concat([
    ...chunks.flatMap((chunk) => [
      Buffer.from(`--edge\r\ncontent-disposition: form-data; name="file"; filename="${sha1(chunk)}"\r\n\r\n`),
      chunk,
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--edge--\r\n'),
  ]);

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20);
}

t.test('property: a form has the same parts however its bytes arrive', async (t) => {
  const part = fc.record({
    name: fc.constantFrom('file', 'file_gzip', 'a b'),
    content: fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom('\r\n--edg', '\r\n', '--edge', '\r\n\r\n', '').map((text) => Buffer.from(text)),
    ),
    read: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
      async (parts, sizes) => {
        const bytes = Buffer.concat([
          ...parts.flatMap(({ name, content }) => [
            Buffer.from(`--edge\r\nContent-Disposition: form-data; name="${name}"; filename="x"\r\n\r\n`),
            content,
            Buffer.from('\r\n'),
          ]),
          Buffer.from('--edge--'),
        ]);
        const cut = () => {
          const pieces: Buffer[] = [];
          for (let at = 0, n = 0; at < bytes.length; n++) {
            const size = sizes[n % sizes.length] ?? 1;
            pieces.push(bytes.subarray(at, at + size));
            at += size;
          }
          return pieces;
        };
        const found: object[] = [];
        let index = 0;
        for await (const { name, pieces } of formParts('multipart/form-data; boundary=edge', cut(), 5)) {
          const read: Buffer[] = [];
          if (parts[index]?.read === true) for await (const piece of pieces) read.push(piece);
          found.push({ name, content: Buffer.concat(read).toString('latin1') });
          index += 1;
        }
        t.same(
          found,
          parts.map(({ name, content, read }) => ({ name, content: read ? content.toString('latin1') : '' })),
        );
      },
    ),
  );
});

t.test('half a request leaves nothing; too many at once are asked to come back', async (t) => {
  const { store, folder } = open(t);
  const { core, host, close } = await coreBench({ sourceMaps: store });
  t.teardown(close);
  const left = () => ['parts', 'chunks'].flatMap((name) => filesIn(join(folder, name)));
  const chunk = randomBytes(MIB);
  const body = form(chunk);
  await store.storeChunk({ checksum: sha1(Buffer.from('x')), compressed: false, pieces: [Buffer.from('x')] });
  const whole = SOURCE_MAP_LIMITS.requestsEach;
  const sockets: Socket[] = [];
  const half = () => {
    const socket = raw(core.port, host, body);
    socket.on('error', () => {});
    socket.write(body.subarray(0, body.length / 2));
    sockets.push(socket);
    return socket;
  };
  for (let n = 0; n < whole; n++) half();
  await until(() => readdirSync(join(folder, 'parts')).length === whole);
  for (let n = 0; n < SOURCE_MAP_LIMITS.requestsWaitingEach; n++) half();
  const post = () =>
    fetch(`http://${host}${CHUNKS}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'multipart/form-data; boundary=edge',
      },
      body,
    });
  await until(async () => {
    const { status } = await post();
    if (status === 200) t.fail('an upload overtook those that wait');
    return status === 503;
  });
  t.equal(readdirSync(join(folder, 'parts')).length, whole, 'the others wait');
  for (const socket of sockets) socket.destroy();
  await until(() => left().length === 1);
  t.equal((await post()).status, 200);
  t.same(left().sort(), [sha1(chunk), sha1(Buffer.from('x'))].sort());
  const unknown = raw(core.port, host, body, 'culprit_0123456789abcdef0123456789abcdef');
  unknown.write(body.subarray(0, 1_000));
  const [answer] = await once(unknown, 'data');
  t.match(String(answer), /^HTTP\/1\.1 401/, 'refused before the body has arrived');
  unknown.destroy();
});

/** Core’s process, which its supervisor starts again when it is killed. */
function corePid({ pid }: Up): number | null {
  const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', String(pid)]);
  const line = String(stdout)
    .split('\n')
    .find((text) => / core /.test(text));
  return line === undefined ? null : Number.parseInt(line, 10);
}

const peakOf = (pid: number) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

t.test('200 MiB of chunks by 50 clients at once: memory does not grow with them', async (t) => {
  const servers = await up(temporaryFolder(t, 'maps'));
  t.teardown(servers.stop);
  const { reviewerToken } = JSON.parse(readFileSync(join(servers.data, 'secrets.json'), 'utf8'));
  const headers = {
    authorization: `Bearer ${reviewerToken}`,
    'content-type': 'multipart/form-data; boundary=edge',
  };
  const post = (body: Buffer) => fetch(`${servers.core}${CHUNKS}`, { method: 'POST', headers, body });
  t.equal((await post(form(randomBytes(1_000)))).status, 200);
  const pid = corePid(servers) ?? 0;
  const before = peakOf(pid);
  const bodies = Array.from({ length: 50 }, () => form(...Array.from({ length: 4 }, () => randomBytes(MIB))));
  const answers = await Promise.all(bodies.map(post));
  t.same([...new Set(answers.map(({ status }) => status))], [200]);
  t.equal(filesIn(join(servers.data, 'source-maps/chunks')).length, 201);
  const grown = (peakOf(pid) - before) / MIB;
  t.comment(`peak ${Math.round(peakOf(pid) / MIB)} MiB, ${Math.round(grown)} MiB more than before`);
  t.ok(grown < 100, `${grown} MiB`);
});

/** Passes requests on, and kills core when told. */
async function proxyTo(t: Test, target: string) {
  const stored = new Set<string>();
  const sent: string[][] = [];
  const state = { sent, stored, killBefore: (_path: string): boolean => false, kill: () => {} };
  let dead = false;
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part) => parts.push(part));
    incoming.on('end', () => {
      const body = Buffer.concat(parts);
      const path = incoming.url ?? '';
      if (!dead && incoming.method === 'POST' && state.killBefore(path)) {
        dead = true;
        state.kill();
      }
      if (dead) return void response.destroy();
      const chunks = [...body.toString('latin1').matchAll(/filename="([0-9a-f]{40})"/g)].flatMap(
        ([, name]) => name ?? [],
      );
      if (chunks.length > 0) sent.push(chunks);
      const { host, port } = new URL(target);
      const onward = request(
        {
          ...{ host: '127.0.0.1', port, path, method: incoming.method },
          headers: { ...incoming.headers, host },
        },
        (answer) => {
          if (answer.statusCode === 200) for (const name of chunks) stored.add(name);
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        },
      );
      onward.on('error', () => response.destroy());
      onward.end(body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    revive: () => {
      dead = false;
      sent.length = 0;
    },
  });
}

t.test('kill -9 between chunks, and before they are put together: sentry-cli resumes', async (t) => {
  const folder = temporaryFolder(t, 'maps');
  const servers = await up(folder);
  t.teardown(servers.stop);
  const { reviewerToken } = JSON.parse(readFileSync(join(servers.data, 'secrets.json'), 'utf8'));
  const client = createClient({ url: servers.core, token: reviewerToken });
  const proxy = await proxyTo(t, servers.core);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    SENTRY_URL: proxy.url,
    SENTRY_AUTH_TOKEN: reviewerToken,
    SENTRY_ORG: 'culprit',
    SENTRY_PROJECT: 'default',
    SENTRY_DISABLE_UPDATE_CHECK: '1',
    SENTRY_HTTP_MAX_RETRIES: '0',
  };
  const moments: Readonly<Record<string, () => (path: string) => boolean>> = {
    'between-chunks': () => {
      return (path) => path.includes('chunk-upload') && proxy.stored.size > 0;
    },
    'before-assembling': () => {
      return (path) => path.includes('assemble') && proxy.stored.size > 0;
    },
  };
  for (const [name, moment] of Object.entries(moments)) {
    const program = join(folder, name);
    mkdirSync(join(program, 'dist'), { recursive: true });
    const content = randomBytes(12 * MIB).toString('base64');
    const map = { ...JSON.parse(MAP), sourcesContent: [content] };
    writeFileSync(join(program, 'dist/app.js'), 'x()\n//# sourceMappingURL=app.js.map\n');
    writeFileSync(join(program, 'dist/app.js.map'), JSON.stringify(map));
    const args = ['sourcemaps', 'upload', 'dist', '--release', name];
    const cli = () => run(getPath(), args, { cwd: program, env });
    proxy.stored.clear();
    const killed = corePid(servers) ?? 0;
    proxy.kill = () => process.kill(killed, 'SIGKILL');
    proxy.killBefore = moment();
    await t.rejects(cli());
    const kept = [...proxy.stored];
    t.ok(kept.length > 0, `${kept.length} chunks were acknowledged`);
    proxy.killBefore = () => false;
    await until(() => {
      const pid = corePid(servers);
      return pid !== null && pid !== killed;
    });
    await until(() =>
      client.listSourceMaps().then(
        () => true,
        () => false,
      ),
    );
    proxy.revive();
    await cli();
    const again = proxy.sent.flat().filter((chunk) => kept.includes(chunk));
    t.same(again, [], `${name}: no acknowledged chunk is sent twice`);
    if (name === 'before-assembling') t.same(proxy.sent, [], 'all were kept');
    const { uploads } = await client.listSourceMaps({ release: name });
    t.match(uploads, [{ files: 1, unreadable: [] }]);
    t.same(filesIn(join(servers.data, 'source-maps/chunks')), [], 'nothing is left over');
  }
});

const mount = (path: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', path]).status === 0;
const unmount = (path: string) => spawnSync('umount', ['-l', path]);

function whyNotMountable(): string | false {
  const path = mkdtempSync(join(tmpdir(), 'culprit-mount-'));
  const works = mount(path);
  if (works) unmount(path);
  rmdirSync(path);
  return works ? false : 'needs root, to mount a file system of 3 MiB';
}

t.test('a full disk: said so, no half file, then the rest', { skip: whyNotMountable() }, async (t) => {
  const root = temporaryFolder(t, 'full');
  mount(root);
  t.teardown(() => void unmount(root));
  const { store, folder } = open(t, { folder: join(root, 'source-maps') });
  const map = JSON.stringify({
    ...JSON.parse(MAP),
    sourcesContent: [randomBytes(600 * 1024).toString('base64')],
  });
  const filler = join(root, 'filler');
  const names = () => ['maps', 'parts', 'uploads'].flatMap((name) => readdirSync(join(folder, name)));
  const bytes = bundle({ 'a.js': map }, { id: null });
  const request = {
    ...{ checksum: sha1(bytes), projects: ['default'], release: '1', dist: null },
    chunks: await send(store, bytes),
  };
  const fill = () => {
    const { stdout } = spawnSync('df', ['--output=avail', '-B1', root]);
    const free = Number(String(stdout).split('\n')[1]);
    writeFileSync(filler, Buffer.alloc(Math.max(0, free - 100 * 1024)));
  };
  fill();
  const one = randomBytes(300 * 1024);
  for (let n = 0; n < 3; n++)
    await t.rejects(store.storeChunk({ checksum: sha1(one), compressed: false, pieces: [one] }), {
      code: 'storage_unavailable',
      message: /disk of source maps is full/,
    });
  t.match(await ended(store, request), { state: 'refused', detail: /disk of source maps is full/ });
  t.same(names(), []);
  t.notOk(readdirSync(join(folder, 'chunks')).includes(sha1(one)));
  writeFileSync(filler, '');
  t.same(await ended(store, request), { state: 'stored' }, 'its chunks were kept');
  t.equal(names().length, 2);
  t.same(readdirSync(join(folder, 'chunks')), []);
});
