import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { escapeHtml } from '../http/escape-html.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface BoardFile {
  readonly type: string;
  readonly body: Uint8Array;
  /** The file, compressed. */
  readonly gzip: Uint8Array;
  readonly etag: string;
}
export interface BoardFiles {
  /** The page of a board below this path (empty: at the root), with the URLs of its assets. */
  page(path: string): BoardFile;
  /** `/assets/<hash of all files>`: each build has new URLs, so caches never serve stale assets. */
  readonly base: string;
  readonly assets: ReadonlyMap<string, BoardFile>;
}

/** `dist/board`, relative to the built file or, in tests, to the source file. */
const BOARD_DIRECTORY = join(fileURLToPath(new URL('../../dist/board', import.meta.url)));

/** Reads the built board into memory. Never rejects: without a build, the page states that. */
export function readBoardFiles(directory = BOARD_DIRECTORY): BoardFiles {
  const files = new Map<string, Uint8Array>();
  for (const name of listFiles(directory)) files.set(name, readFileSync(join(directory, name)));
  const hash = createHash('sha256');
  for (const [name, body] of [...files].sort()) hash.update(`${name}\n${body.length}\n`).update(body);
  const base = `/assets/${hash.digest('hex').slice(0, 16)}`;
  const html = files.get('index.html') ?? Buffer.from('The board has not been built. Run: npm run build\n');
  const pageBelow = (path: string) =>
    boardFile(
      'index.html',
      Buffer.from(
        Buffer.from(html)
          .toString()
          .replaceAll('{{base}}', escapeHtml(path + base))
          .replaceAll('{{path}}', escapeHtml(path)),
      ),
    );
  const pages = new Map<string, BoardFile>();
  const page = (path: string) => {
    const made = pages.get(path) ?? pageBelow(path);
    return pages.set(path, made) && made;
  };
  const assets = new Map<string, BoardFile>();
  for (const [name, body] of files) if (name !== 'index.html') assets.set(name, boardFile(name, body));
  return { page, base, assets };
}

function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => TYPES[extname(name)] !== undefined);
  } catch {
    return [];
  }
}

function boardFile(name: string, body: Uint8Array): BoardFile {
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
  return {
    type: TYPES[extname(name)] ?? 'application/octet-stream',
    body,
    gzip: gzipSync(body, { level: 9 }),
    etag,
  };
}
