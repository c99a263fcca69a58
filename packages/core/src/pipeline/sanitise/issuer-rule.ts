import { isSpent, STEPS, spend, uncheckedFrom } from './budget.js';
import { type Cut, NO_CUTS } from './cuts.js';
import type { IssuerToken } from './issuers.js';
import type { TextRule } from './pattern-rule.js';
import { NEEDS } from './scan.js';

/** Finds the tokens of all issuers in one pass; where several could begin at one place, the first of the table counts. */
export function issuedRule(issuers: readonly IssuerToken[]): TextRule {
  // One test for all issuers: most texts hold none of their tokens.
  const any = new RegExp(`(?<![A-Za-z0-9])(?:${issuers.map(({ pattern }) => pattern).join('|')})`, 'g');
  const each = issuers.map(({ id, pattern }) => ({
    id,
    exact: new RegExp(`(?<![A-Za-z0-9])${pattern}`, 'y'),
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
