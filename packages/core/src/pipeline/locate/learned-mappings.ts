import type { CodeMapping, LocatedFrame } from '../../domain/code-mapping.js';
import type { Frame } from '../../domain/event.js';

/** A mapping learned from frames, with the files that support it. It is trusted once two files do. */
export interface LearnedMapping extends CodeMapping {
  readonly files: readonly string[];
}

const TRUSTED_FROM = 2;
const MAX = 50;
const MAX_FILES = 4;
const LONGEST_ROOT = 400;

/** Learns mappings from located frames: the parts of the reported path and of the repository's path before their common suffix. */
export function learnFrom(
  located: readonly Pick<LocatedFrame, 'frame' | 'path' | 'how'>[],
  frames: readonly Frame[],
): readonly LearnedMapping[] {
  const learned: LearnedMapping[] = [];
  for (const { frame: index, path, how } of located) {
    const frame = frames[index];
    const reported = (frame?.abs_path ?? frame?.file ?? '').replaceAll('\\', '/').replace(/[?#].*$/s, '');
    if (how === 'mapping' || reported === path) continue;
    const roots = rootsOf(reported, path);
    if (roots !== null) learned.push({ ...roots, files: [path] });
  }
  return mergeLearned([], learned);
}

/** Adds the new mappings. The least recently seen are dropped beyond the limit. */
export function mergeLearned(
  known: readonly LearnedMapping[],
  fresh: readonly LearnedMapping[],
): readonly LearnedMapping[] {
  const merged = new Map<string, LearnedMapping>();
  for (const one of [...known, ...fresh]) {
    const key = JSON.stringify([one.stack_root, one.source_root]);
    const files = [...new Set([...(merged.get(key)?.files ?? []), ...one.files])].slice(0, MAX_FILES);
    merged.delete(key);
    merged.set(key, { stack_root: one.stack_root, source_root: one.source_root, files });
  }
  return [...merged.values()].slice(-MAX);
}

export function trusted(learned: readonly LearnedMapping[]): readonly CodeMapping[] {
  return learned.filter(({ files }) => files.length >= TRUSTED_FROM).reverse();
}

/** `null` if no trailing component is shared or the whole reported path is. */
function rootsOf(reported: string, path: string): CodeMapping | null {
  const reportedParts = reported.split('/');
  const ownParts = path.split('/');
  let same = 0;
  while (
    same < reportedParts.length &&
    same < ownParts.length &&
    reportedParts.at(-1 - same) === ownParts.at(-1 - same)
  )
    same++;
  if (same === 0 || same === reportedParts.length) return null;
  const stack_root = `${reportedParts.slice(0, reportedParts.length - same).join('/')}/`;
  const source = ownParts.slice(0, ownParts.length - same).join('/');
  if (stack_root === '/' || stack_root.length > LONGEST_ROOT) return null;
  return { stack_root, source_root: source === '' ? '' : `${source}/` };
}

/** Reads stored mappings. Anything that is not a list of mappings is ignored. */
export function readLearned(text: string | undefined): readonly LearnedMapping[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isLearned).slice(-MAX) : [];
  } catch {
    return [];
  }
}

function isLearned(value: unknown): value is LearnedMapping {
  const { stack_root, source_root, files } = (value ?? {}) as Partial<Record<keyof LearnedMapping, unknown>>;
  return typeof stack_root === 'string' && typeof source_root === 'string' && Array.isArray(files);
}
