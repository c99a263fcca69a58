import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../../../../', import.meta.url));
const culprit = join(root, 'packages/host/dist/bin/culprit.js');

/** A repository with a cart, its culprit, and unrelated changes. */
export function story(directory: string) {
  mkdirSync(directory, { recursive: true });
  const git = (args: readonly string[], day = 1) =>
    execFileSync('git', [...args], {
      cwd: directory,
      encoding: 'utf8',
      env: {
        ...process.env,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_AUTHOR_DATE: `2026-03-${String(day).padStart(2, '0')}T10:00:00Z`,
        GIT_COMMITTER_DATE: `2026-03-${String(day).padStart(2, '0')}T10:00:00Z`,
      },
    }).trim();
  const commit = (day: number, message: string, files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(directory, path, '..'), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    git(['add', '-A']);
    git(['-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', message], day);
    return git(['rev-parse', 'HEAD']);
  };
  git(['init', '-q', '-b', 'main']);
  const cart = (price: string) =>
    [
      'class Cart:',
      '    def total(self):',
      `        return sum(${price} for item in self.items)`,
      '',
      '',
    ].join('\n');
  commit(1, 'Start', { 'src/shop/cart.py': cart('item.price'), 'README.md': 'Shop\n' });
  git(['tag', 'v1.0.0']);
  commit(3, 'Ship parcels', { 'src/shop/ship.py': 'def ship():\n    pass\n' });
  const culpritSha = commit(9, 'Take amount of a price', { 'src/shop/cart.py': cart('item.price.amount') });
  const revision = commit(12, 'Say more', { 'README.md': 'Shop\nWith a cart.\n' });
  git(['tag', 'v1.1.0']);
  return { git, culpritSha, revision };
}

export const run = promisify(execFile);
const env = { ...process.env, NO_COLOR: '1', REPOSITORY: '', GITHUB_TOKEN: '' };
/** Runs the command line in a folder. */
export async function cli(args: readonly string[], cwd: string) {
  try {
    const { stdout } = await run(process.execPath, [culprit, ...args], { cwd, env });
    return { code: 0, stdout, stderr: '' };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}
