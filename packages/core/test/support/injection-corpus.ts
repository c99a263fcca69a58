import { readdirSync, readFileSync } from 'node:fs';

export interface InjectionCase {
  readonly id: string;
  readonly text: string;
}
export interface InjectionClass {
  readonly class: string;
  readonly kind: 'markdown' | 'unicode' | 'title' | 'prompt';
  readonly about: string;
  readonly cases: readonly InjectionCase[];
}

/** The corpus in `../injection`, by file name. */
export function injectionCorpus(): readonly InjectionClass[] {
  const folder = new URL('../../test/injection/', import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as InjectionClass);
}

/** Every case of every class. */
export function injectionCases(): readonly InjectionCase[] {
  return injectionCorpus().flatMap(({ cases }) => cases);
}
