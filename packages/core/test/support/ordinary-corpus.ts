import { readdirSync, readFileSync } from 'node:fs';
import type { JsonValue } from '../../src/index.js';
import { fixtureCrashes, stackText } from './deliveries.js';

const fixtures = new URL('../../test/fixtures/', import.meta.url);
const repository = new URL('../../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, repository), 'utf8');

/** Real and realistic crashes, stack traces and frames of this repository, in which hardly anything is secret. */
export function ordinaryCorpus(): readonly JsonValue[] {
  const scenarios = readdirSync(new URL('bench/scenarios/', repository), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      readdirSync(new URL(`bench/scenarios/${name}/`, repository)).map((file) =>
        read(`bench/scenarios/${name}/${file}`),
      ),
    );
  const lines = read('bench/data/mapping-frames.jsonl').trim().split('\n');
  return [
    ...fixtureCrashes().map(({ crash }) => crash),
    ...(JSON.parse(readFileSync(new URL('public-crashes.json', fixtures), 'utf8')) as JsonValue[]),
    ...readdirSync(new URL('stacks/', fixtures)).map(stackText),
    ...scenarios,
    ...lines.map((line) => JSON.parse(line) as JsonValue),
  ];
}

/** What the sanitiser rightly redacts there: people, addresses, and the secrets that examples send. */
export const RIGHTLY_REDACTED: ReadonlySet<string> = new Set([
  'am',
  '4111 1111 1111 1111',
  'bob@example.com',
  'jmbenlloch',
  '127.0.0.1',
  'Sentry sentry_key=e5cbafe9dbf3469e961c02ab2edf37cc, sentry_version=7, sentry_client=bugsink/0.0.1',
  '162.218.85.90',
  'vjuranek',
  'florian',
  'martin',
  'jwata',
  'joerafaniello',
  'ncarboni',
  'thomas.franklin',
  'deivid',
  'byroot',
  'aleksander',
  'u',
]);
