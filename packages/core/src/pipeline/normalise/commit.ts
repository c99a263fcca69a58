import type { JsonObject } from '../../domain/json.js';
import { asEntries, asObject, asText, type Json } from './read.js';

/**
 * Names under which senders report the commit, in order of precedence. They are read from the crash's own members, its
 * tags, its `extra`, and the contexts `app`, `git`, `vcs`, `build` and `deployment`.
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

/** A full or abbreviated commit id, lower case; `null` if none was sent explicitly. A release is not a commit. */
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

/** Also `{ sha }` and `{ id }`, as build tools write it. */
function asSha(value: Json): string | null {
  const nested = asObject(value);
  const text = asText(nested === null ? value : (nested.sha ?? nested.id))?.trim() ?? '';
  return /^(?:[0-9a-f]{7,40}|[0-9a-f]{64})$/i.test(text) ? text.toLowerCase() : null;
}
