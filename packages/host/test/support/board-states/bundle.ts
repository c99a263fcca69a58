import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { runProgram } from '../../../src/demo/run-program.js';
import { SHOP, type World } from './world.js';

export const BUNDLE = 'dist/assets/checkout.min.js';

/** The web shop as a bundler builds it: the stack that it prints, and the bundle's source map. */
export async function bundledShop({
  shop,
}: World): Promise<{ readonly stderr: string; readonly map: string }> {
  const outfile = join(shop, BUNDLE);
  buildSync({
    ...{ entryPoints: [join(shop, 'bin/checkout.js')], outfile, absWorkingDir: shop },
    ...{
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      sourcemap: 'external',
      logLevel: 'silent',
    },
  });
  const { stderr } = await runProgram(process.execPath, [BUNDLE, 'orders/1043.json'], { cwd: shop });
  return { stderr: stderr.replaceAll(shop, SHOP), map: readFileSync(`${outfile}.map`, 'utf8') };
}
