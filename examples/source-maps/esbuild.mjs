import { sentryEsbuildPlugin } from '@sentry/esbuild-plugin';
import { build } from 'esbuild';
import { culprit } from './culprit.mjs';

await build({
  entryPoints: ['app.js'],
  outfile: 'dist/app.js',
  bundle: true,
  minify: true,
  sourcemap: true,
  platform: 'node',
  format: 'esm',
  external: ['@sentry/node'],
  // Without a token the maps are uploaded later, by `culprit sourcemaps upload dist`.
  plugins: culprit.authToken ? [sentryEsbuildPlugin(culprit)] : [],
});
