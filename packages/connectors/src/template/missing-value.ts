/** A missing value, named as in its line of code. */
export interface MissingValue {
  readonly value: string;
  /** `undefined`, `null`, `None` or `nil`. */
  readonly state: string;
  /** The property or method that was accessed. */
  readonly member: string;
  readonly how: 'read' | 'set' | 'called';
}

interface Message {
  readonly pattern: RegExp;
  readonly how: MissingValue['how'];
  /** Set if the pattern does not capture it. */
  readonly state?: string;
}

/** The messages of V8, Firefox, Python and Ruby. */
const MESSAGES: readonly Message[] = [
  {
    pattern: /Cannot read propert(?:ies|y) of (?<state>undefined|null) \(reading '(?<member>[\w$]+)'\)/,
    how: 'read',
  },
  {
    pattern: /Cannot set propert(?:ies|y) of (?<state>undefined|null) \(setting '(?<member>[\w$]+)'\)/,
    how: 'set',
  },
  { pattern: /Cannot read property '(?<member>[\w$]+)' of (?<state>undefined|null)/, how: 'read' },
  { pattern: /Cannot set property '(?<member>[\w$]+)' of (?<state>undefined|null)/, how: 'set' },
  { pattern: /can't access property "(?<member>[\w$]+)", .{1,80} is (?<state>undefined|null)/, how: 'read' },
  { pattern: /'NoneType' object has no attribute '(?<member>\w+)'/, how: 'read', state: 'None' },
  { pattern: /undefined method [`'](?<member>\w+[?!=]?)' for nil/, how: 'called', state: 'nil' },
];
const LONGEST_LINE = 400;

/**
 * The value that was missing: `voucher` in `voucher.percent` if the error says that `percent` was accessed. `null` if the
 * line has two such values or the value has no name.
 */
export function missingValue(error: string, line: string): MissingValue | null {
  for (const { pattern, how, state: known } of MESSAGES) {
    const groups = pattern.exec(error.slice(0, 500))?.groups;
    const state = groups?.state ?? known;
    const member = groups?.member;
    if (state === undefined || member === undefined) continue;
    const value = ownerOf(member, line.slice(0, LONGEST_LINE));
    return value === null ? null : { value, state, member, how };
  }
  return null;
}

function ownerOf(member: string, line: string): string | null {
  const name = '[A-Za-z_$@][\\w$]*';
  const escaped = member.replace(/[$?!]/g, '\\$&');
  const owners = new RegExp(`(?<![\\w$.\\])@?!"'])(${name}(?:\\.${name})*)\\.${escaped}(?![\\w$])`, 'g');
  const found = new Set([...line.matchAll(owners)].map(([, owner]) => owner ?? ''));
  const [only] = found;
  return found.size === 1 && only !== undefined ? only : null;
}
