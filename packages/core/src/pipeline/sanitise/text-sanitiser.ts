import { grantFor, isSpent, STEPS, spend, UNCHECKED, uncheckedFrom } from './budget.js';
import { type Cut, marker, replaceCuts, uniteCuts } from './cuts.js';
import type { IssuerPrefilter } from './issuer-prefilter.js';
import type { TextRule } from './pattern-rule.js';
import { NEEDS, scan } from './scan.js';
import { inOriginal, type View, viewsOf, withCuts } from './views.js';

export type TextSanitiser = (text: string) => { value: string; redactions: number };

const unitsOf = createUnits();
/** For decoded texts: `unitsOf` still holds the texts that are being checked. */
const viewUnitsOf = createUnits();

/** The shortest texts that built-in rules match: `a@b.de`, `otp=12`. */
const SHORTEST = 6;

export interface TextRules {
  readonly prefilter: IssuerPrefilter;
  /** Shorter texts are never redacted. */
  readonly shortest: number;
  readonly sanitise: TextSanitiser;
  /** Whether `sanitise` would redact something in one of the texts. Cheaper than sanitising. */
  readonly touches: (texts: readonly string[]) => boolean;
  /** Whether any rule applies to a text in which {@link scan} found these features. */
  readonly isDue: (found: number) => boolean;
}

function isHintless({ hints }: TextRule, text: string): boolean {
  if (hints === undefined) return false;
  for (const hint of hints) if (text.includes(hint)) return false;
  return true;
}

/** Maximum rounds. Two are typical; only adversarial texts need more. */
const ROUNDS = 8;

/** Applies the rules in order, each only if {@link scan} found the features that it needs. */
export function textRules(rules: readonly TextRule[], prefilter: IssuerPrefilter): TextRules {
  const due: (readonly TextRule[] | undefined)[] = [];
  /** Rules without needs, such as custom ones: no text is skipped then. */
  const anyText = rules.some(({ needs }) => needs === 0);
  const dueFor = (found: number) => {
    const known = due[found];
    if (known !== undefined) return known;
    const made = rules.filter(({ needs }) => (found & needs) === needs);
    due[found] = made;
    return made;
  };
  const dueIn = (text: string) => dueFor(scan(viewUnitsOf(text), 0, text, prefilter));
  /** What one pass of the rules finds in the text or in one of its decoded forms. */
  const cutsIn = (text: string): readonly Cut[] => {
    const cuts: Cut[] = [];
    for (const form of viewsOf(text)) {
      let view: View = form;
      spend(STEPS.view * view.text.length);
      // Decoding ends with the budget, so that a form may be incomplete.
      if (isSpent()) return [uncheckedFrom(text, 0)];
      for (const rule of dueIn(view.text)) {
        if (isHintless(rule, view.text)) continue;
        spend(view.text.length * STEPS.pass);
        if (isSpent()) return [uncheckedFrom(text, 0)];
        const found = rule.find(view.text);
        if (found.length === 0) continue;
        spend(STEPS.redaction * found.length);
        cuts.push(...inOriginal(view, found));
        view = withCuts(view, found);
      }
    }
    return isSpent() ? [uncheckedFrom(text, 0)] : uniteCuts(cuts);
  };
  const isFoundIn = (text: string) => {
    for (const view of viewsOf(text)) {
      spend(STEPS.view * view.text.length);
      if (isSpent()) return true;
      for (const rule of dueIn(view.text)) {
        if (isHintless(rule, view.text)) continue;
        spend(view.text.length * STEPS.pass);
        if (isSpent() || rule.find(view.text).length > 0) return true;
      }
    }
    return isSpent();
  };
  /** The text after one pass of the rules. */
  const pass = (text: string): { value: string; redactions: number } => {
    const found = scan(unitsOf(text), 0, text, prefilter);
    spend(text.length);
    if ((found & NEEDS.encoded) !== 0) {
      const cuts = cutsIn(text);
      return { value: replaceCuts(text, cuts), redactions: cuts.length };
    }
    let value = text;
    let redactions = 0;
    for (const rule of dueFor(found)) {
      if (isHintless(rule, value)) continue;
      spend(value.length * STEPS.pass);
      if (isSpent()) return { value: marker(UNCHECKED), redactions: redactions + 1 };
      const cuts = rule.find(value);
      if (cuts.length === 0) continue;
      value = replaceCuts(value, cuts);
      redactions += cuts.length;
    }
    return { value, redactions };
  };
  return {
    prefilter,
    shortest: anyText ? 0 : SHORTEST,
    isDue: (found) => (found & NEEDS.encoded) !== 0 || ((found !== 0 || anyText) && dueFor(found).length > 0),
    sanitise: (text) => {
      let value = text;
      let redactions = 0;
      grantFor(text.length);
      for (let round = 0; round < ROUNDS; round++) {
        const next = pass(value);
        if (next.redactions === 0) break;
        value = next.value;
        redactions += next.redactions;
      }
      return { value, redactions };
    },
    touches: (texts) => {
      const joined = texts.length === 1 ? (texts[0] ?? '') : texts.join('');
      const units = unitsOf(joined);
      grantFor(joined.length);
      let start = 0;
      for (let index = 0; index < texts.length; index++) {
        const text = texts[index] ?? '';
        const found = scan(units, start, text, prefilter);
        start += text.length;
        if (found === 0 && !anyText) continue;
        if ((found & NEEDS.encoded) !== 0) {
          if (isFoundIn(text)) return true;
          continue;
        }
        for (const rule of dueFor(found)) {
          if (isHintless(rule, text)) continue;
          spend(text.length * STEPS.pass);
          if (isSpent() || rule.find(text).length > 0) return true;
        }
      }
      return false;
    },
  };
}

/** The largest reused buffer, in units. Longer texts get a buffer of their own. */
const MAX_KEPT = 1_048_576;

interface Room {
  readonly bytes: Buffer;
  readonly units: Uint16Array;
}

/** Node's platforms are little-endian, except one. */
const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/**
 * Returns a function that copies a text's UTF-16 code units, followed by a 0, to a buffer that is valid until its next
 * call. Reading them from there costs a third of `charCodeAt`.
 */
export function createUnits(): (text: string) => Uint16Array {
  let kept = roomFor(65_536);
  return (text) => {
    const { length } = text;
    if (length > MAX_KEPT) return copy(text, roomFor(length));
    if (length >= kept.units.length) kept = roomFor(2 ** Math.ceil(Math.log2(length)));
    return copy(text, kept);
  };
}

function roomFor(length: number): Room {
  const bytes = Buffer.alloc((length + 1) * 2);
  return { bytes, units: new Uint16Array(bytes.buffer, bytes.byteOffset, length + 1) };
}

function copy(text: string, { bytes, units }: Room): Uint16Array {
  if (LITTLE_ENDIAN) bytes.write(text, 'utf16le');
  else for (let index = 0; index < text.length; index++) units[index] = text.charCodeAt(index);
  units[text.length] = 0;
  return units;
}
