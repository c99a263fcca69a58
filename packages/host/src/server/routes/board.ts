import { CulpritError } from '@culprit/core';
import type { HttpRequest, HttpResponse } from '../../http/message.js';
import type { BoardFile, BoardFiles } from '../board-files.js';
import type { CoreRoute } from '../route.js';
import { pagePolicy } from '../security-headers.js';
import type { Site } from '../site.js';

const UNCHANGED = { what: 'Unchanged: the ETag of `If-None-Match` is current' };

/** The board's page and assets. They contain no data, so they need no authentication. */
export function boardRoutes(files: BoardFiles, site: () => Site): CoreRoute[] {
  return [
    {
      method: 'GET',
      pattern: '/',
      access: 'open',
      doc: {
        id: 'getBoard',
        summary: 'Get the board',
        answers: { 200: { what: 'The page', type: 'text/html' }, 304: UNCHANGED },
      },
      handle: (request) =>
        answer(request, files.page(site().path), {
          'cache-control': 'no-cache',
          'content-security-policy': pagePolicy('board', site().origin.replace(/^http/, 'ws')),
        }),
    },
    {
      method: 'GET',
      pattern: '/favicon.ico',
      access: 'open',
      doc: {
        id: 'getIcon',
        summary: 'Get the icon',
        answers: { 200: { what: 'The icon', type: 'image/svg+xml' }, 304: UNCHANGED },
        problems: ['not_found'],
      },
      handle(request) {
        const icon = files.assets.get('icon.svg');
        if (icon === undefined) throw new CulpritError('not_found', 'The board has not been built.');
        return answer(request, icon, { 'cache-control': 'public, max-age=86400' });
      },
    },
    {
      method: 'GET',
      pattern: '/assets/:build/:name',
      access: 'open',
      doc: {
        id: 'getAsset',
        summary: 'Get an asset of the board',
        answers: { 200: { what: 'The file', type: '*/*' }, 304: UNCHANGED },
        problems: ['not_found'],
      },
      handle(request) {
        const { build, name = '' } = request.params;
        const file = `/assets/${build}` === files.base ? files.assets.get(name) : undefined;
        if (file === undefined) throw new CulpritError('not_found', 'Asset not found. Reload the board.');
        return answer(request, file, { 'cache-control': 'public, max-age=31536000, immutable' });
      },
    },
  ];
}

/** The board, which asks for a token and then shows the page that was asked for. */
export function signInAnswer(files: BoardFiles, { path, origin }: Site): HttpResponse {
  const { type, body } = files.page(path);
  const policy = pagePolicy('board', origin.replace(/^http/, 'ws'));
  return { status: 401, headers: { 'content-type': type, 'content-security-policy': policy }, body };
}

function answer(
  request: HttpRequest,
  file: BoardFile,
  headers: Readonly<Record<string, string>>,
): HttpResponse {
  const common = { etag: file.etag, vary: 'accept-encoding', ...headers };
  if (request.headers['if-none-match'] === file.etag) return { status: 304, headers: common };
  const type = { 'content-type': file.type };
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) {
    return { status: 200, headers: { ...type, ...common }, body: file.body };
  }
  return { status: 200, headers: { ...type, ...common, 'content-encoding': 'gzip' }, body: file.gzip };
}
