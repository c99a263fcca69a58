import type { Shape } from '@culprit/core/internal/pipeline/crash-object/fit-shape';
import { withinBudget } from '@culprit/core/internal/pipeline/sanitise/budget';
import { rulesOf, type Sanitiser } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import { ByteReader } from './byte-reader.js';

/** What the edge needs to know about a crash object that it stores byte for byte. */
export interface CleanBytes {
  /** As sent; `null` if the crash has none. */
  readonly event_id: string | null;
  readonly shape: Shape;
}

/** `null`: parse, check and sanitise the body instead. */
export type ReadCleanBytes = (body: Uint8Array) => CleanBytes | null;

/**
 * The edge's fast path: most crash objects are valid and hold no secret, so their bytes can be stored as received.
 * Returns a result only for UTF-8 JSON that `checkCrashObject` accepts strictly, in which no object has a member twice,
 * every number survives parsing unchanged, and the sanitiser would redact nothing. Everything else is `null`. A
 * sanitiser that core did not create has no compiled rules, so nothing is read fast.
 */
export function createCleanBytesReader(sanitiser: Sanitiser): ReadCleanBytes {
  const rules = rulesOf(sanitiser);
  if (rules === undefined) return () => null;
  let reader: ByteReader | null = null;
  return (body) => {
    try {
      reader ??= new ByteReader(rules);
      const current = reader;
      return withinBudget(() => current.read(body));
    } catch (error) {
      // An invalid escape.
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  };
}
