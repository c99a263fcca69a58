import { sentryVitePlugin } from '@sentry/vite-plugin';
import { culprit } from './culprit.mjs';

// biome-ignore lint/style/noDefaultExport: Vite reads the default export.
export default {
  build: {
    ssr: 'app.js',
    outDir: 'dist',
    sourcemap: true,
    minify: true,
    rollupOptions: { external: ['@sentry/node'] },
  },
  plugins: [sentryVitePlugin(culprit)],
};
