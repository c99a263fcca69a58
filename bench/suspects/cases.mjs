import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
/** The cases live beside the project and are no part of it. */
export const CASES = resolve(root, process.env.CULPRIT_SHARED ?? '../shared', 'bench/suspects/cases');
const MERGE = /^Merged? (?:branch|pull request|remote|tag|commit|')/;
/** As the product: lines followed, files blamed, entries of a file's history. */
const LIMITS = { positions: 25, files: 12, history: 20 };

/** @returns {Case[] | null} `null` where there are none. */
export function readCases() {
  if (!existsSync(CASES)) return null;
  return readdirSync(CASES)
    .filter((name) => name.endsWith('.json.gz'))
    .sort()
    .map((name) => caseOf(JSON.parse(gunzipSync(readFileSync(join(CASES, name))).toString('utf8'))));
}

/**
 * A case as the ranking sees it.
 * @typedef {{ name: string, org: string, language: string, tier: 'core' | 'native', culprits: Set<string>,
 *   input: object, facts: Map<string, { words: string[], touchesFile: boolean }>, raw: object }} Case
 */
function caseOf(raw) {
  const { files, recent = [], commits } = raw.code_host;
  const dated = (index) => {
    const { oid, committed } = commits[index];
    return committed === null ? [] : [{ sha: oid, committed_at: new Date(committed * 1000).toISOString() }];
  };
  const positions = positionsOf(raw, (path) =>
    files[path].ranges.flatMap(([start, end, index]) => dated(index).map((at) => ({ start, end, ...at }))),
  );
  const paths = [...new Set(raw.frames.map(({ path }) => path).filter((path) => files[path]))];
  const changes = new Map();
  const facts = new Map();
  const owners = new Set(paths.flatMap((path) => files[path].ranges.map(([, , index]) => index)));
  commits.forEach((commit, index) => {
    if (!commit.diff) return;
    const { error_tokens, source_tokens, function_tokens, message_tokens, trace_files } = commit.diff;
    const words = [...new Set([...error_tokens, ...source_tokens, ...function_tokens])].sort();
    const ownChange = owners.has(index) || !MERGE.test(commit.subject ?? '');
    const unread = { touchesFile: null, touchesDir: null, mentions: null };
    changes.set(commit.oid, { ...unread, message: message_tokens, ownChange });
    facts.set(commit.oid, { words, touchesFile: trace_files > 0 });
  });
  return {
    name: String(raw.case).padStart(3, '0'),
    org: raw.repository.split('/')[0],
    language: raw.language,
    tier: raw.tier,
    culprits: new Set(raw.culprits),
    facts,
    raw,
    input: {
      positions,
      files: paths.slice(0, LIMITS.files).map((path) => ({
        path,
        ranges: files[path].ranges.flatMap(([start, end, index]) =>
          dated(index).map((at) => ({ start, end, ...at })),
        ),
        history: files[path].history.slice(0, LIMITS.history).flatMap(dated),
      })),
      recent: recent.flatMap(dated),
      ignored: new Set(),
      crashedAt: new Date(raw.crash_time * 1000).toISOString(),
      previousRelease: null,
      native: raw.tier === 'native',
      changes,
    },
  };
}

/** Distinct lines of blamed files, crash first. */
function positionsOf({ frames, code_host }, rangesOf) {
  const seen = new Set();
  const positions = [];
  for (const [frame, { path, line }] of frames.entries()) {
    const key = `${path}:${line}`;
    if (!code_host.files[path] || seen.has(key) || positions.length === LIMITS.positions) continue;
    seen.add(key);
    const view = { path, line, ranges: rangesOf(path), text: null };
    positions.push({
      frame: frames.length - 1 - frame,
      path,
      line,
      verified: null,
      views: [view],
      lookedThrough: [],
    });
  }
  return positions;
}

/** The input once the diffs of `shas` have been read. */
export function withDiffs({ input, facts }, shas) {
  const changes = new Map(input.changes);
  for (const sha of shas) {
    const known = changes.get(sha);
    const { words, touchesFile } = facts.get(sha) ?? {};
    if (known && words) changes.set(sha, { ...known, mentions: words, touchesFile });
  }
  return { ...input, changes };
}
