import type { JsonValue } from '../../domain/json.js';
import type { Port } from '../../domain/port.js';
import { CulpritError } from '../../errors/error.js';
import { withinBudget } from './budget.js';
import { type Finding, findingOf } from './findings.js';
import { createIssuerPrefilter } from './issuer-prefilter.js';
import { ISSUER_TOKENS, type IssuerToken } from './issuers.js';
import { createKeyFacts, type KeyFacts } from './key-facts.js';
import type { LeafContext, LeafRules } from './leaf.js';
import { linearPattern, patternRule, type SanitiserRule, type TextRule } from './pattern-rule.js';
import { EMAIL, IP, textRulesFor } from './rules.js';
import { textRules } from './text-sanitiser.js';
import { isClean, walk } from './walk.js';

/** A custom rule: replaces every match by `[redacted:id]`. */
export interface ScrubRule {
  /** 1 to 40 characters of `a-z 0-9 _ -`. */
  readonly id: string;
  readonly what?: string;
  /** A regular expression that {@link linearPattern} accepts. */
  readonly pattern: string;
  readonly ignoreCase?: boolean;
}

/** Plain data: stored in the evidence of each draft. */
export interface SanitiserOptions {
  /** `keys`: only under keys that mean a person's address (`ip_address`, `REMOTE_ADDR`, …). Default: `keys`. */
  readonly ip?: 'off' | 'keys' | 'all';
  /** Default: true. */
  readonly email?: boolean;
  readonly rules?: readonly ScrubRule[];
}

/** Redacts secrets and personal data by the built-in rules and the installation's own. */
export interface Sanitiser {
  /**
   * The JSON without secrets in keys and values; the same value if it has none. Does not change the input; reads any
   * depth.
   */
  json<T extends JsonValue>(value: T): { value: T; redactions: number };
  text(text: string): { value: string; redactions: number };
  /** What `json` would redact, where and by which rule, in the order of the document's containers. */
  findings(value: JsonValue): readonly Finding[];
  /** The rules, for the documentation. */
  readonly rules: readonly SanitiserRule[];
  /** The options that differ from the defaults. */
  readonly options: SanitiserOptions;
}
export const Sanitiser = Symbol('Sanitiser') as Port<Sanitiser>;

export interface CompiledRules {
  readonly root: LeafContext;
  readonly rules: LeafRules;
  readonly factsOf: (key: string) => KeyFacts;
}

/** Throws `configuration` for a rule that could be slow or has an invalid id. */
export function createSanitiser(options: SanitiserOptions = {}): Sanitiser {
  return sanitiserFor(ISSUER_TOKENS, options);
}

/** {@link createSanitiser} with another table of issuers. */
export function sanitiserFor(issuers: readonly IssuerToken[], options: SanitiserOptions = {}): Sanitiser {
  const standard = textRulesFor(issuers);
  const prefilter = createIssuerPrefilter(issuers);
  const extra = (options.rules ?? []).map(ownRule);
  const rules = [
    ...standard.slice(0, -2),
    ...(options.email === false ? [] : [EMAIL]),
    ...standard.slice(-2),
    ...(options.ip === 'all' ? [IP] : []),
    ...extra,
  ];
  const text = textRules(rules, prefilter);
  const leaves: LeafRules = {
    text,
    address: options.ip === 'off' || options.ip === 'all' ? text : textRules([...rules, IP], prefilter),
  };
  const factsOf = createKeyFacts(text);
  const root = factsOf('').place;
  const parts = { root, rules: leaves, factsOf };
  const sanitiser: Sanitiser = {
    json: (value) =>
      withinBudget(() => isClean(value, root, leaves, factsOf))
        ? { value, redactions: 0 }
        : withinBudget(() => walk(value, parts)),
    text: (dirty) => withinBudget(() => text.sanitise(dirty)),
    findings: (value) => {
      const found: Finding[] = [];
      withinBudget(() => walk(value, { ...parts, found: (item) => found.push(findingOf(item)) }));
      return found;
    },
    rules,
    options: changed(options),
  };
  compiled.set(sanitiser, parts);
  return sanitiser;
}

/** The compiled rules of a sanitiser; `undefined` for one that {@link createSanitiser} did not make. */
export const rulesOf = (sanitiser: Sanitiser): CompiledRules | undefined => compiled.get(sanitiser);

const compiled = new WeakMap<Sanitiser, CompiledRules>();

function ownRule({ id, what, pattern, ignoreCase = false }: ScrubRule, index: number): TextRule {
  const path = `scrub.rules.${index}`;
  if (!/^[a-z0-9_-]{1,40}$/.test(id)) {
    throw new CulpritError('configuration', `${path}.id must be 1 to 40 characters of a-z 0-9 _ -.`, {
      path,
    });
  }
  const rule = { id, what: what ?? 'A custom rule', source: 'this installation' };
  return patternRule(rule, linearPattern(pattern, { ignoreCase, path: `${path}.pattern` }));
}

function changed({ email = true, ip = 'keys', rules = [] }: SanitiserOptions): SanitiserOptions {
  return {
    ...(email ? {} : { email }),
    ...(ip === 'keys' ? {} : { ip }),
    ...(rules.length === 0 ? {} : { rules }),
  };
}

/** The default instance, with all built-in rules. */
export const standardSanitiser = createSanitiser();

/** The `json` of the default instance. */
export function sanitiseJson<T extends JsonValue>(value: T): { value: T; redactions: number } {
  return standardSanitiser.json(value);
}

/** The `text` of the default instance. */
export function sanitiseText(text: string): { value: string; redactions: number } {
  return standardSanitiser.text(text);
}
