import type { JsonObject } from '../../domain/json.js';
import { asEntries, asObject, asText, type Json } from './read.js';

/**
 * Names under which reporters tell the commit that ran, in order of trust. They are looked for among the crash's own
 * members, its tags, its extra, and in the contexts `app`, `git`, `vcs`, `build`, `deployment`.
 */
const COMMIT_NAMES = [
  'commit',
  'commit_sha',
  'git.sha',
  'git_sha',
  'git.commit',
  'git_commit',
  'git.commit.sha',
  'git_commit_sha',
  'vcs.revision',
  'vcs.ref.head.revision',
  'revision',
  'sha',
] as const;
const CONTEXTS = ['app', 'git', 'vcs', 'build', 'deployment'];

/** A full or shortened commit id, lower case; `null` where none was told in so many words. A release is no commit. */
export function commitOf(crash: JsonObject): string | null {
  const contexts = asObject(crash.contexts);
  const places = [
    crash,
    Object.fromEntries(asEntries(crash.tags)),
    ...CONTEXTS.map((name) => asObject(contexts?.[name])),
    asObject(crash.extra),
  ];
  for (const place of places) {
    if (place === null) continue;
    for (const name of COMMIT_NAMES) {
      const sha = asSha(place[name]);
      if (sha !== null) return sha;
    }
  }
  return null;
}

/** Also `{ sha }` and `{ id }`, as build tools nest it. */
function asSha(value: Json): string | null {
  const nested = asObject(value);
  const text = asText(nested === null ? value : (nested.sha ?? nested.id))?.trim() ?? '';
  return /^(?:[0-9a-f]{7,40}|[0-9a-f]{64})$/i.test(text) ? text.toLowerCase() : null;
}
