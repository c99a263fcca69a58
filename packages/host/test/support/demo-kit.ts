import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChildEnd, endOf } from './end-of.js';
import { BIN } from './run-culprit.js';

export const FREE = ['--edge-port', '0', '--core-port', '0'];

export interface Summary {
  readonly run_id: string;
  readonly states: readonly string[];
  readonly issue_url: string;
  readonly issue_file: string;
  readonly seconds: number;
  readonly suspects: readonly { readonly sha: string }[];
}

/** Runs `culprit demo` to its end. */
export function demo(args: readonly string[], cwd?: string): Promise<ChildEnd> {
  const child = spawn(process.execPath, [BIN, 'demo', ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, GITHUB_TOKEN: 'must not be used' },
  });
  return endOf(child);
}

/** What `demo --json` ends with. */
export function lastLine(text: string): Summary {
  return JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as Summary;
}

/** A repository with a program of five lines that divides by zero in its second one. */
export function ownRepository(folder: string): string {
  mkdirSync(folder);
  writeFileSync(join(folder, 'main.py'), 'def ratio(a, b):\n    return a / b\n\n\nprint(ratio(1, 0))\n');
  const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-q', '-m', 'Print a ratio');
  return folder;
}
