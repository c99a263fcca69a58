import type { Explanation } from '../../src/domain/explanation.js';
import type { Suspect } from '../../src/domain/suspect.js';
import type { DraftSource } from '../../src/pipeline/draft/draft-source.js';
import { sentence } from '../../src/pipeline/explain/phrases.js';
import { reason } from '../../src/pipeline/rank/reason-wording.js';
import { makeFrame } from '../../src/testing/builders.js';
import { makeEvent } from '../../src/testing/index.js';
import { shopInput } from './shop-history.js';

/** The parts of a draft that can contain text from outside. */
export const PLACES = [
  'title',
  'cause',
  'reported stack',
  'type',
  'value',
  'file',
  'function',
  'platform',
  'release',
  'environment',
  'transaction',
  'server',
  'tag',
  'regression',
  'path',
  'excerpt',
  'commit title',
  'author',
  'date',
  'address',
  'reason',
  'hunk path',
  'hunk header',
  'hunk line',
  'no suspect',
  'claim',
  'own claim',
  'raw own claim',
  'quote',
  'evidence',
  'model',
  'note',
] as const;
export type Place = (typeof PLACES)[number];

const SHA = '0123456789abcdef0123456789abcdef01234567';

/** A draft's source with the text in some parts and a harmless word in the others. */
export function hostileSource(text: string, places: readonly Place[] = PLACES): DraftSource {
  const at = (place: Place, otherwise = 'plain') => (places.includes(place) ? text : otherwise);
  const { incident } = shopInput();
  const frames = [
    makeFrame({ file: at('file'), function: at('function'), module: at('file') }),
    makeFrame({ function: at('function') }),
  ];
  const exception = {
    type: at('type'),
    value: at('value'),
    module: null,
    handled: null,
    synthetic: false,
    mechanism: null,
    frames,
  };
  const cause = { ...exception, type: at('cause'), value: at('cause') };
  const causeFrames = [makeFrame({ file: at('cause'), function: at('cause') })];
  const unread = places.length === 1 && places[0] === 'reported stack';
  const noSuspect = places.length === 1 && places[0] === 'no suspect';
  return {
    incident: {
      ...incident,
      title: at('title'),
      platform: at('platform'),
      releases: [at('release'), 'v2'],
      environments: [at('environment')],
      regression_of: at('regression'),
    },
    event: makeEvent({
      exceptions: unread ? [{ ...exception, frames: [] }] : [{ ...cause, frames: causeFrames }, exception],
      extra: { stack: at('reported stack') },
      transaction: at('transaction'),
      server_name: at('server'),
      tags: { [at('tag')]: at('tag') },
    }),
    thrown: unread ? null : { index: 1, exception },
    located: [
      { frame: 1, path: at('path'), line: 3, function: at('function'), how: 'exact', verified: false },
    ],
    links: { commit: 'https://code.example/c/{sha}', line: 'https://code.example/b/{sha}/{path}#L{line}' },
    revision: { sha: 'abcdef0123456789abcdef0123456789abcdef01', how: 'head' },
    excerpt: { path: at('path'), from: 1, crashed: 1, lines: [at('excerpt'), 'plain'] },
    suspects: noSuspect ? [] : [suspect(at), suspect(at)],
    no_suspect: noSuspect ? { code: 'blame_failed', detail: text } : null,
    explanation: explanation(at, places),
    earlierIssue: { number: 3, url: 'https://issues.example/3' },
    release_window: {
      version: at('release'),
      commits: 12,
      more_commits: false,
      deploy: { environment: at('environment'), at: '2026-01-05T09:00:00.000Z', after_ms: 240_000 },
    },
  };
}

function suspect(at: (place: Place, otherwise?: string) => string): Suspect {
  return {
    sha: SHA,
    author: { name: at('author') },
    committed_at: at('date', '2026-01-01T00:00:00.000Z'),
    title: at('commit title'),
    url: `https://code.example/${at('address')}`,
    score: 1,
    components: { near: 1 },
    probability: 0.9,
    verdict: 'auto',
    reasons: [
      reason({ code: 'last_changed_line', path: at('reason'), line: 1, role: 'crashed' }),
      reason({ code: 'in_release', release: at('release'), commits: 12 }),
    ],
    frames: [0],
    hunk: {
      path: at('hunk path'),
      header: `@@ -1,1 +1,1 @@ ${at('hunk header')}`,
      lines: [
        { kind: 'removed', text: at('hunk line'), line: null, crashed: false },
        { kind: 'added', text: at('hunk line'), line: 1, crashed: true },
      ],
    },
    pull_request: { number: 3, url: `https://code.example/${at('address')}`, title: at('commit title') },
  };
}

function explanation(at: (place: Place) => string, places: readonly Place[]): Explanation {
  const cites = [
    { evidence: at('evidence'), quote: at('quote') },
    { evidence: `hunk:${SHA}`, quote: at('quote') },
  ];
  const own = places.includes('own claim') && !places.includes('claim');
  const raw = places.includes('raw own claim') && !places.includes('claim');
  const claims = [
    { text: at('claim'), cites },
    { text: sentence`${at('own claim')} was raised in ${at('own claim')}, at ${at('own claim')}.`, cites },
    { text: at('raw own claim'), cites },
  ];
  const source = own || raw ? 'template' : 'model';
  return { source, model: at('model'), claims, insufficient: false, note: at('note') };
}
