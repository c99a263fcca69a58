import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { TextbookCase } from './mechanisms.js';

const DAY = 86_400;
/** The crash time of every program, in seconds. */
export const CRASHED_AT = Date.parse('2026-06-01T12:00:00Z') / 1_000;

/** SHAs of a case's commits, in the order of its steps. */
export type Commits = readonly string[];

/** Writes all cases as unrelated branches of one real repository, in one process. */
export function buildTextbook(path: string, cases: readonly TextbookCase[]): readonly Commits[] {
  mkdirSync(path, { recursive: true });
  const git = (args: readonly string[], input = '') =>
    execFileSync('git', args, { cwd: path, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
  git(['init', '-q', '--bare', '-b', 'main']);
  git(['fast-import', '--quiet'], cases.map(streamOf).join(''));
  return cases.map((one, index) => {
    const shas = git(['rev-list', '--reverse', `case-${index}`])
      .trim()
      .split('\n');
    if (shas.length !== one.steps.length) throw new Error(`${one.name} has ${shas.length} commits`);
    return shas;
  });
}

function streamOf({ steps }: TextbookCase, index: number): string {
  return steps
    .map(({ title, daysBefore, files }, step) => {
      const head = `${step === 0 ? `reset refs/heads/case-${index}\n` : ''}commit refs/heads/case-${index}\n`;
      const who = `committer Dev <dev@example.org> ${CRASHED_AT - daysBefore * DAY} +0000\n`;
      const changes = Object.entries(files).map(([path, content]) =>
        content === null ? `D ${path}\n` : `M 100644 inline ${path}\n${data(content)}`,
      );
      return `${head}${who}${data(title)}${changes.join('')}\n`;
    })
    .join('');
}

const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
