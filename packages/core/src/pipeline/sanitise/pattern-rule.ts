import { isSpent, STEPS, spend, uncheckedFrom } from './budget.js';
import { type Cut, NO_CUTS } from './cuts.js';

/** What is redacted in texts, and why. `docs/reference` lists these. */
export interface SanitiserRule {
  /** The id in `[redacted:id]`. */
  readonly id: string;
  readonly what: string;
  /** Where the format is specified, or which leak the rule closes. */
  readonly source: string;
}

/** A rule for texts. Must run in linear time and must not find its own markers. */
export interface TextRule extends SanitiserRule {
  /** Features ({@link NEEDS}) without which the rule cannot match. */
  readonly needs: number;
  /** One of these must be in a text, or the rule is not tried: for rules that few texts need, though many have what it needs. */
  readonly hints?: readonly string[];
  /** What to redact: in order, without overlaps. */
  readonly find: (text: string) => readonly Cut[];
}

export type Accept = (match: RegExpExecArray) => boolean;

/** Replaces the group `s` (or `t`), or the whole match, of every accepted match. */
export function patternRule(
  rule: SanitiserRule & {
    readonly needs?: number;
    readonly hints?: readonly string[];
    readonly mayMatch?: (text: string) => boolean;
  },
  pattern: RegExp,
  accept: Accept = () => true,
): TextRule {
  const flags = pattern.flags.replace(/[gyd]/g, '');
  const global = new RegExp(pattern.source, `${flags}g`);
  const exact = new RegExp(pattern.source, `${flags}yd`);
  // Most texts have no match: this test avoids the cost of iteration and indices.
  const probe = new RegExp(pattern.source, pattern.flags.replace(/[gyd]/g, ''));
  const mayMatch = rule.mayMatch ?? ((text: string) => probe.test(text));
  return {
    id: rule.id,
    what: rule.what,
    source: rule.source,
    needs: rule.needs ?? 0,
    ...(rule.hints === undefined ? {} : { hints: rule.hints }),
    find: (text) => {
      if (!mayMatch(text)) return NO_CUTS;
      const cuts: Cut[] = [];
      global.lastIndex = 0;
      for (let match = global.exec(text); match !== null; match = global.exec(text)) {
        if (match[0] === '') global.lastIndex++;
        spend(STEPS.candidate);
        if (isSpent()) return [...cuts, uncheckedFrom(text, match.index)];
        if (match[0] === '' || !accept(match)) continue;
        const [from, to] = placeIn(match, exact, text);
        spend(STEPS.redaction);
        cuts.push({ from, to, kind: rule.id });
      }
      return cuts;
    },
  };
}

/**
 * The range of the match's group `s` (or `t`), or of the whole match. Matches again for the indices, since few matches
 * are accepted.
 */
function placeIn(match: RegExpExecArray, exact: RegExp, text: string): readonly [number, number] {
  const whole = [match.index, match.index + match[0].length] as const;
  if (match.groups?.s === undefined && match.groups?.t === undefined) return whole;
  exact.lastIndex = match.index;
  const groups = exact.exec(text)?.indices?.groups;
  return groups?.s ?? groups?.t ?? whole;
}
