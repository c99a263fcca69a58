import { sentryWebpackPlugin } from '@sentry/webpack-plugin';
import webpack from 'webpack';
import { culprit } from './culprit.mjs';

/** What `webpack.config.js` would export. */
const config = {
  mode: 'production',
  target: 'node20',
  entry: './app.js',
  devtool: 'source-map',
  experiments: { outputModule: true },
  externalsType: 'module',
  externals: ['@sentry/node'],
  output: { filename: 'app.js', module: true, chunkFormat: 'module' },
  plugins: [sentryWebpackPlugin(culprit)],
};

webpack(config, (error, stats) => {
  if (error === null && !stats.hasErrors()) return;
  console.error(error ?? stats.toString());
  process.exitCode = 1;
});
