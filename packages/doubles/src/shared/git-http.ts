import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGunzip } from 'node:zlib';

const PLACE = /^\/((?:[\w.-]+\/){1,20}[\w.-]+)\.git\/(info\/refs|git-upload-pack)$/;

/** The repository that git may fetch, as a path; or why it may not, in the host's words. */
export type GitAccess =
  | { readonly git: string }
  | { readonly status: number; readonly text: string; readonly headers?: Readonly<Record<string, string>> };

/** Whether git may fetch a repository with a token, which it sends as the password; `null`: it sent none. */
export type MayFetch = (name: string, token: string | null) => GitAccess;

/** The address of a renamed repository. */
export function movedTo(status: 301 | 307, to: string): GitAccess {
  return { status, text: '', headers: { location: to } };
}

/** True: the request was git's, and has been answered. Repositories are private, as far as git is concerned. */
export function servesGit(
  mayFetch: MayFetch,
  url: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): boolean {
  const [, name = '', what] = PLACE.exec(url.pathname) ?? [];
  if (what === undefined) return false;
  const access = mayFetch(name, passwordIn(incoming.headers.authorization));
  if ('git' in access) {
    uploadPack(access.git, what === 'info/refs', incoming, outgoing);
    return true;
  }
  const { status, text, headers = {} } = access;
  const place =
    headers.location === undefined ? {} : { location: `/${headers.location}.git/${what}${url.search}` };
  incoming.resume();
  outgoing.writeHead(status, { 'content-type': 'text/plain', ...headers, ...place }).end(text);
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

function passwordIn(header: string | undefined): string | null {
  const [, text] = /^Basic (\S+)$/.exec(header ?? '') ?? [];
  if (text === undefined) return null;
  return Buffer.from(text, 'base64')
    .toString('utf8')
    .replace(/^[^:]*:/, '');
}
