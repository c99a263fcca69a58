import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import type { CaseResult } from './replay-case.js';

/** The expected drafts in the order of staging, stored next to the input. */
const acceptedSchema = v.object({
  runs: v.array(v.object({ title: v.string(), digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)) })),
});

export type Accepted = v.InferOutput<typeof acceptedSchema>;

/** The accepted digests; `null` if there is no such file. */
export function acceptedIn(file: string): Accepted | null {
  if (!existsSync(file)) return null;
  try {
    return v.parse(acceptedSchema, JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new CulpritError(
      'malformed',
      `${file} does not contain accepted digests. Fix it, or accept the result again with --update.`,
    );
  }
}

/** Stores a result as accepted: its digests, and for a scenario its drafts as Markdown. */
export function accept(file: string, { runs, drafts }: CaseResult, withDrafts: boolean): void {
  const accepted: Accepted = { runs: runs.map(({ title, digest }) => ({ title, digest: digest ?? '' })) };
  writeFileSync(file, `${JSON.stringify(accepted, null, 2)}\n`);
  if (!withDrafts) return;
  const folder = dirname(file);
  for (let number = drafts.length + 1; number <= 99; number++) {
    const stale = join(folder, draftFile(number - 1));
    if (!existsSync(stale)) break;
    rmSync(stale);
  }
  for (const [index, draft] of drafts.entries())
    writeFileSync(join(folder, draftFile(index)), draftPage(draft));
}

export function draftFile(index: number): string {
  return index === 0 ? 'draft.md' : `draft-${index + 1}.md`;
}

/** A draft as a page: its title and labels above its body, byte for byte. */
export function draftPage({ title, labels, body }: CaseResult['drafts'][number]): string {
  return `# ${title}\n\nLabels: ${labels.map((label) => `\`${label}\``).join(', ')}\n\n${body}\n`;
}
