import { spawn } from 'node:child_process';
import { root } from './root.mjs';

/**
 * Runs one program to its end. Prints its output only if it fails, so that parallel tasks do not mix.
 * @returns {Promise<{ name: string, ok: boolean, seconds: number, output: string }>}
 */
export function task(name, args) {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, NO_COLOR: '1' } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('close', (code) => {
      const seconds = (performance.now() - started) / 1000;
      const ok = code === 0;
      console.log(`${ok ? '✓' : '✗'} ${name.padEnd(28)} ${seconds.toFixed(1).padStart(6)} s`);
      if (!ok) console.log(withoutPasses(output).trimEnd().replace(/^/gm, '    '));
      resolve({ name, ok, seconds, output });
    });
  });
}

/** The output of a test without the lines of passed tests. */
function withoutPasses(output) {
  return output.replace(/^ *(?:ok \d+.*|# Subtest: .*|1\.\.\d+|TAP version 14|\})\n/gm, '');
}

export const bin = {
  tsc: 'node_modules/typescript-7/bin/tsc',
  biome: 'node_modules/@biomejs/biome/bin/biome',
};

/** Checks and compiles the tests of all packages; files that have not changed are skipped. */
export const TYPES_OF_TESTS = [bin.tsc, '-b', 'tsconfig.test.json', '--pretty', 'false'];
