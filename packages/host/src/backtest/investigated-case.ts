import { appendFile, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { NoEffect } from '@culprit/core/internal/domain/investigation';
import type { JudgedFinding } from '@culprit/core/internal/pipeline/investigate/probability';
import { createDirectory } from '../config/private-files.js';

/** A fix whose crash was investigated as of the commit before it: a line of the file of results. */
export interface InvestigatedCase {
  readonly repository: string;
  readonly model: string;
  /** Version of the prompts. */
  readonly prompt: string;
  /** When it was investigated, ISO 8601. */
  readonly at: string;
  readonly fix: string;
  readonly committed_at: string;
  /** Place of a culprit in the ranking alone, from 1; `null`: it is not among the suspects. */
  readonly ranking: number | null;
  /** The same after the investigation. */
  readonly place: number | null;
  /** Why the investigation had no effect. */
  readonly reason: NoEffect | null;
  readonly detail: string | null;
  /** `null`: no finding that passed its checks. */
  readonly finding: JudgedFinding | null;
  readonly questions: number;
  readonly tokens: number;
  /** `null`: no price is set. */
  readonly cost: number | null;
}

/** What another attempt may change. */
const AGAIN: ReadonlySet<NoEffect> = new Set([
  'model_failed',
  'daily_cost',
  'stopped',
  'interrupted',
  'left',
]);

export function isFinal({ reason }: InvestigatedCase): boolean {
  return reason === null || !AGAIN.has(reason);
}

/** None if the file does not exist. A line that was cut off is left out. */
export async function readCases(file: string): Promise<readonly InvestigatedCase[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split('\n').filter((line) => /^\{.*\}$/.test(line));
  return lines.map((line) => JSON.parse(line) as InvestigatedCase);
}

/** The line break comes first, in case the last line was cut off. */
export async function keepCase(file: string, one: InvestigatedCase): Promise<void> {
  createDirectory(dirname(file));
  await appendFile(file, `\n${JSON.stringify(one)}`, { mode: 0o600 });
}
