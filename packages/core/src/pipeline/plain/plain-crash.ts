import type { Shape } from '../crash-object/check-shape.js';
import type { KeyFacts } from '../sanitise/key-facts.js';
import type { LeafContext, LeafRules } from '../sanitise/leaf.js';
import { PlainReader } from './plain-reader.js';

/** What is known of a crash object whose bytes may be kept as they are. */
export interface CleanBytes {
  /** As the sender gave it; `null`: to be made. */
  readonly event_id: string | null;
  readonly shape: Shape;
}

/** The rules of a sanitiser. */
export interface PlainParts {
  readonly root: LeafContext;
  readonly rules: LeafRules;
  readonly factsOf: (key: string) => KeyFacts;
}

/**
 * Reads a crash object off its bytes: most crashes are well formed and hold no secret, and of these nothing more is
 * needed. Law: an answer is given only for UTF-8 JSON that `checkCrashObject` takes strictly, that names no member of
 * an object twice, whose numbers mean what they say, and of which the sanitiser would take nothing out. Whatever is
 * not plainly so gets `null`; then the long way tells, which is to parse, to check and to sanitise.
 */
export function createReadPlain(parts: PlainParts): (body: Uint8Array) => CleanBytes | null {
  let reader: PlainReader | null = null;
  return (body) => {
    try {
      reader ??= new PlainReader(parts);
      return reader.read(body);
    } catch (error) {
      // An escape that is none.
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  };
}
