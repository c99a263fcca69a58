import { isSpent, STEPS, spend, uncheckedFrom } from './budget.js';
import { type Cut, NO_CUTS } from './cuts.js';
import { type IssuerToken, patternOf } from './issuers.js';
import type { TextRule } from './pattern-rule.js';
import { NEEDS } from './scan.js';

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
