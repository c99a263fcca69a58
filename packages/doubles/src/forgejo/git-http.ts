import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGunzip } from 'node:zlib';
import { knownToken, lacksScope, visible } from './answer.js';
import type { DoubleToken, LiveOptions } from './options.js';

const PLACE = /^\/([\w.-]+\/[\w.-]+)\.git\/(info\/refs|git-upload-pack)$/;

/** True: the request was git's, and has been answered. Repositories are private, as far as git is concerned. */
export function servesGit(
  options: LiveOptions,
  url: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): boolean {
  const [, name = '', what] = PLACE.exec(url.pathname) ?? [];
  if (what === undefined) return false;
  const answer = (status: number, text: string, headers: Record<string, string> = {}) => {
    incoming.resume();
    outgoing.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(text);
    return true;
  };
  const token = basicToken(options, incoming.headers.authorization);
  if (token === null) return answer(401, 'Unauthorized', { 'www-authenticate': 'Basic realm="Gitea"' });
  const known = visible(options, token, name);
  if (known === null) return answer(404, 'Repository not found');
  if (lacksScope(token, 'GET', 'repository') !== null) return answer(403, 'Forbidden');
  const { git, renamedTo } = options.repositories[known] ?? {};
  if (renamedTo !== undefined)
    return answer(307, '', { location: `${url.pathname.replace(name, renamedTo)}${url.search}` });
  uploadPack(git ?? '/nonexistent', what === 'info/refs', incoming, outgoing);
  return true;
}

function uploadPack(
  git: string,
  advertise: boolean,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const version = incoming.headers['git-protocol'];
  const child = spawn(
    'git',
    ['upload-pack', '--stateless-rpc', ...(advertise ? ['--advertise-refs'] : []), git],
    {
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'safe.directory',
        GIT_CONFIG_VALUE_0: '*',
        ...(typeof version === 'string' ? { GIT_PROTOCOL: version } : {}),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  const kind = advertise ? 'advertisement' : 'result';
  outgoing.writeHead(200, {
    'content-type': `application/x-git-upload-pack-${kind}`,
    'cache-control': 'no-cache',
  });
  if (advertise && version === undefined) outgoing.write('001e# service=git-upload-pack\n0000');
  const packed = incoming.headers['content-encoding'] === 'gzip';
  child.stdin.on('error', () => {});
  (packed ? incoming.pipe(createGunzip()) : incoming).pipe(child.stdin);
  child.stdout.pipe(outgoing);
  outgoing.on('close', () => child.kill());
}

/** Git sends the token as the password. */
function basicToken(options: LiveOptions, header: string | undefined): DoubleToken | null {
  const [, text = ''] = /^Basic (\S+)$/.exec(header ?? '') ?? [];
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(text, 'base64').toString('utf8')) ?? [];
  return knownToken(options, password, Date.now());
}
