import { CulpritError } from '../../errors/error.js';
import { isSpent, STEPS, spend, uncheckedFrom } from './budget.js';
import { type Cut, NO_CUTS } from './cuts.js';
import { type IssuerToken, patternOf } from './issuers.js';
import { NEEDS } from './scan.js';

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

const LONGEST = 500;
/** Maximum number of ways to match a pattern at one position. */
const WAYS = 100_000;

/**
 * Compiles a configured pattern that cannot be slow: no unbounded repeat (`*`, `+`, `{2,}`), no back reference, and
 * few ways to match at one position. Throws `configuration` with the fix.
 */
export function linearPattern(
  source: string,
  { ignoreCase = false, path = 'pattern' }: { readonly ignoreCase?: boolean; readonly path?: string } = {},
): RegExp {
  const refuse = (problem: string): never => {
    throw new CulpritError('configuration', `${path} ${problem}.`, { path });
  };
  if (source === '' || source.length > LONGEST) refuse(`must have 1 to ${LONGEST} characters`);
  // An escape or a class is one character; only the rest repeats, branches and groups.
  const bare = source
    .replace(/\\(?:k<[^>]*>|[1-9]|.)/gs, (part) => (/^\\[k1-9]/.test(part) ? '\\' : 'x'))
    .replace(/\[[^\]]*\]/g, 'x');
  if (bare.includes('\\')) refuse('must not contain a back reference');
  if (/[*+]|\{\d+,\}/.test(bare))
    refuse(
      'must have bounded repeats: write {1,64} instead of +, {0,64} instead of * and {2,64} instead of {2,}',
    );
  let expression: RegExp;
  try {
    expression = new RegExp(source, ignoreCase ? 'i' : '');
  } catch {
    return refuse('is not a regular expression');
  }
  if (!(waysOf(bare) <= WAYS)) refuse('can match in too many ways; lower the bounds of its repeats');
  if (expression.test('')) refuse('must not match the empty string');
  return expression;
}

/** Branches add up, sequences multiply, and a repeat counts every number of rounds that it allows. */
function waysOf(pattern: string): number {
  const open: { branches: number; ways: number }[] = [];
  let group = { branches: 0, ways: 1 };
  let last = 1;
  const parts = pattern.matchAll(/\((?:\?(?:<?[=!]|:|<[^>]*>))?|\)|\||\{(\d+)(?:,(\d+))?\}\??|\?\??|./gs);
  for (const [part, least, most = least] of parts) {
    if (part.startsWith('(')) {
      open.push(group);
      group = { branches: 0, ways: 1 };
    } else if (part === ')') {
      last = group.branches + group.ways;
      group = open.pop() ?? group;
      group.ways *= last;
    } else if (part === '|') {
      group.branches += group.ways;
      group.ways = 1;
      last = 1;
    } else if (least !== undefined || part.startsWith('?')) {
      group.ways = (group.ways / last) * rounds(last, Number(least ?? 0), Number(most ?? 1));
      last = 1;
    } else last = 1;
  }
  return group.branches + group.ways;
}

function rounds(ways: number, least: number, most: number): number {
  let sum = 0;
  for (let count = least; count <= most && sum <= WAYS; count++) sum += ways ** count;
  return sum;
}

const START = '(?<![A-Za-z0-9])';

/**
 * All forms as one expression, with those that begin with the same character in one group: at most places the first character
 * decides.
 */
function anyOf(issuers: readonly IssuerToken[]): RegExp {
  const groups = new Map<string, string[]>();
  for (const form of issuers.flatMap(({ forms }) => forms)) {
    for (const start of form.starts) {
      const first = form.before === '' ? start.slice(0, 1) : '';
      const own = { ...form, starts: [start.slice(first.length)] };
      groups.set(first, [...(groups.get(first) ?? []), patternOf(own)]);
    }
  }
  const parts = [...groups].map(([first, patterns]) => `${first}(?:${patterns.join('|')})`);
  return new RegExp(`${START}(?:${parts.join('|')})`, 'g');
}

/** Finds the tokens of all issuers in one pass; where several could begin at one place, the first of the table counts. */
export function issuedRule(issuers: readonly IssuerToken[]): TextRule {
  // One test for all issuers: most texts hold none of their tokens.
  const any = anyOf(issuers);
  const each = issuers.map(({ id, pattern }) => ({
    id,
    exact: new RegExp(`${START}${pattern}`, 'y'),
  }));
  const issuerAt = (text: string, at: number) =>
    each.find(({ exact }) => {
      exact.lastIndex = at;
      return exact.test(text);
    });
  return {
    id: 'issuer_token',
    what: 'Tokens of well-known issuers; each has its own id',
    source: 'the issuers’ documentation, see ISSUER_TOKENS',
    needs: NEEDS.run,
    find: (text) => {
      let cuts: Cut[] | null = null;
      any.lastIndex = 0;
      for (let match = any.exec(text); match !== null; match = any.exec(text)) {
        cuts ??= [];
        spend(STEPS.redaction);
        if (isSpent()) return [...cuts, uncheckedFrom(text, match.index)];
        const kind = issuerAt(text, match.index)?.id ?? '';
        cuts.push({ from: match.index, to: match.index + match[0].length, kind });
      }
      return cuts ?? NO_CUTS;
    },
  };
}
