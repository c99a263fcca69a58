import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './root.mjs';

const source = join(root, 'packages/board/src');
/** The host serves it from here. */
const target = join(root, 'packages/host/dist/board');
/** Digest of the inputs of the last build. */
const stamp = join(root, 'packages/board/bundle.tsbuildinfo');
/** Inputs outside of the board's folder. */
const SHARED = ['client', 'core'].map((name) => join(root, 'packages', name, 'src'));

/** Bundles the board, unless its inputs are unchanged. Returns whether it was built. */
export async function buildBoard() {
  const inputs = inputsDigest();
  if (existsSync(join(target, 'index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs) {
    return false;
  }
  const { build } = await import('vite');
  const libraries = new Set();
  rmSync(stamp, { force: true });
  await build({
    root: source,
    configFile: false,
    logLevel: 'warn',
    base: './',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: target,
      emptyOutDir: true,
      target: 'es2023',
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      cssCodeSplit: false,
      modulePreload: false,
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      rollupOptions: {
        input: join(source, 'main.tsx'),
        // What makes a schema does nothing else: a schema that the board does not use is left out, with all that it is made of.
        treeshake: { propertyReadSideEffects: false, manualPureFunctions: ['v', 'about', 'named', 'share'] },
        output: {
          entryFileNames: 'main.js',
          chunkFileNames: '[name].js',
          assetFileNames: (asset) =>
            asset.names.some((name) => name.endsWith('.css')) ? 'board.css' : '[name][extname]',
        },
      },
    },
    plugins: [{ name: 'libraries', moduleParsed: ({ id }) => void libraries.add(packageOf(id)) }],
  });
  for (const name of ['index.html', 'icon.svg', 'source.css', 'theme.js']) {
    writeFileSync(join(target, name), readFileSync(join(source, name)));
  }
  writeFileSync(
    join(target, 'licenses.txt'),
    licenses([...libraries].filter((name) => name !== null).sort()),
  );
  writeFileSync(stamp, inputs);
  return true;
}

function inputsDigest() {
  const hash = createHash('sha256');
  const own = [fileURLToPath(import.meta.url), join(root, 'package-lock.json')];
  for (const file of [source, ...SHARED].flatMap(filesOf).concat(own)) {
    hash.update(`${file.slice(root.length)}\n`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function filesOf(path) {
  if (/\.\w+$/.test(path)) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function packageOf(id) {
  const at = id.lastIndexOf('/node_modules/');
  if (at === -1) return null;
  const [scope, name] = id.slice(at + '/node_modules/'.length).split('/');
  return join(id.slice(0, at), 'node_modules', scope.startsWith('@') ? join(scope, name) : scope);
}

/** The license notices of bundled libraries. */
function licenses(folders) {
  return folders
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
      return `${name} ${version} (${license})\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(70)}\n\n`);
}
