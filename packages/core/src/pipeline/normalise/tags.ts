import type { JsonObject } from '../../domain/json.js';
import { asEntries, type Json } from './read.js';
import { cutText, TEXT_LIMITS, type Trimmer } from './trim.js';

/** Members of an event that a tag must not shadow. */
const RESERVED = new Set(['release', 'dist', 'user', 'filename', 'function', 'environment', '__proto__']);
const MOST = 200;

/**
 * From a map or a list of pairs. Keys lose their spaces, values become text; values that are too long are dropped and
 * noted.
 */
export function tagsOf(value: Json, trim: Trimmer): Readonly<Record<string, string>> {
  const tags = new Map<string, string>();
  for (const [name, member] of asEntries(value)) {
    const key = name.trim().replace(/\s+/g, '-');
    const text = scalarText(member);
    if (key === '' || text === null || RESERVED.has(key)) continue;
    if (tags.size >= MOST) {
      trim.note(`tags: the first ${MOST} were kept`);
      break;
    }
    if (key.length > TEXT_LIMITS.short || text.length > TEXT_LIMITS.short) {
      trim.note(`tag ${cutText(key, 40)} was dropped: over ${TEXT_LIMITS.short} characters`);
    } else {
      tags.set(cutText(key, TEXT_LIMITS.short), cutText(text, TEXT_LIMITS.short));
    }
  }
  return Object.fromEntries(tags);
}

/** As the Sentry server writes scalars: `true` is `True`. */
function scalarText(value: Json): string | null {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null;
  return typeof value === 'string' ? value.trim() : null;
}

/** The tag `environment` is an older form of the field. */
export function environmentTag(tags: Json): string | null {
  const found = asEntries(tags).find(([name]) => name === 'environment');
  return found ? scalarText(found[1]) || null : null;
}

const PARTS = 64;

/** The sender's fingerprint: scalars as text, floats truncated to integers; `null` unless it is a list. */
export function fingerprintOf(value: Json): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  const parts = value.flatMap((part: Json) => {
    const text = scalarText(typeof part === 'number' && Number.isFinite(part) ? Math.trunc(part) : part);
    return text === null ? [] : [cutText(text, TEXT_LIMITS.message)];
  });
  return parts.length > 0 ? parts.slice(0, PARTS) : null;
}

/** Package names and versions. */
export function modulesOf(value: Json, trim: Trimmer): Readonly<Record<string, string>> {
  const modules: [string, string][] = [];
  let chars = 0;
  for (const [name, version] of asEntries(value)) {
    const text = scalarText(version);
    if (text === null || name === '__proto__') continue;
    chars += name.length + text.length;
    if (chars > 32_768) {
      trim.note('modules were cut to their limits');
      break;
    }
    modules.push([cutText(name, TEXT_LIMITS.short), cutText(text, TEXT_LIMITS.short)]);
  }
  return Object.fromEntries(modules);
}

/**
 * Headers as a map of strings, from a map or from the pair lists of processed events; list values are joined by `,`.
 */
export function headersOf(value: Json): JsonObject {
  return Object.fromEntries(
    asEntries(value).flatMap(([name, member]): [string, string][] => {
      const text = Array.isArray(member) ? member.map(scalarText).join(',') : scalarText(member);
      return text === null || name === '__proto__' ? [] : [[name, text]];
    }),
  );
}
