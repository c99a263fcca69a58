/** Counts down as patterns are matched, so that a hostile file costs a fixed number of steps and not time. */
export interface Budget {
  left: number;
}

interface CharacterSet {
  readonly not: boolean;
  /** First and last character of each range, as code points. */
  readonly ranges: readonly (readonly [number, number])[];
}
const ANY = { any: true } as const;
const STAR = { star: true } as const;
/** A literal character, `?`, `*`, or a set. */
type Token = string | typeof ANY | typeof STAR | CharacterSet;

/** The pattern of one path segment: a text, or tokens if it has wildcards. `null` matches nothing. */
export type SegmentGlob = string | readonly Token[] | null;

/** `sets`: whether `[a-z]` is a set, as in Ruby's `File.fnmatch`, or literal. */
export function segmentGlob(pattern: string, sets: boolean): SegmentGlob {
  const characters = [...pattern];
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    if (character === '\\' && at + 1 < characters.length) tokens.push(characters[++at] ?? '');
    else if (character === '?') tokens.push(ANY);
    else if (character === '*') {
      if (tokens.at(-1) !== STAR) tokens.push(STAR);
    } else if (character === '[' && sets) {
      const set = readSet(characters, at + 1);
      if (set === null) return null;
      tokens.push(set.token);
      at = set.end;
    } else tokens.push(character);
  }
  return tokens.every((token) => typeof token === 'string') ? tokens.join('') : tokens;
}

/** The set that begins at `from`, after its `[`; `null` if it has no end. */
function readSet(
  characters: readonly string[],
  from: number,
): { readonly token: CharacterSet; readonly end: number } | null {
  const not = characters[from] === '!' || characters[from] === '^';
  const ranges: [number, number][] = [];
  let at = not ? from + 1 : from;
  const next = () => {
    if (characters[at] === '\\') at++;
    return characters[at++]?.codePointAt(0);
  };
  while (at < characters.length) {
    if (characters[at] === ']') return { token: { not, ranges }, end: at };
    const first = next();
    const isRange = characters[at] === '-' && characters[at + 1] !== ']';
    if (isRange) at++;
    const last = isRange ? next() : first;
    if (first === undefined || last === undefined) return null;
    ranges.push([first, last]);
  }
  return null;
}

/** Goes back to the last `*` only, so the steps are at most the product of both lengths. */
export function matchesSegment(glob: SegmentGlob, text: string, budget: Budget): boolean {
  budget.left -= 1;
  if (glob === null || typeof glob === 'string') return glob === text;
  const characters = [...text];
  let token = 0;
  let at = 0;
  let star = -1;
  let from = 0;
  while (at < characters.length) {
    budget.left -= 1;
    const wanted = glob[token];
    if (wanted === STAR) {
      star = token++;
      from = at;
    } else if (wanted !== undefined && matchesCharacter(wanted, characters[at] ?? '')) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++from;
    } else return false;
  }
  while (glob[token] === STAR) token++;
  return token === glob.length;
}

function matchesCharacter(token: Token, character: string): boolean {
  if (typeof token === 'string') return token === character;
  if (!('ranges' in token)) return token === ANY;
  const code = character.codePointAt(0) ?? 0;
  return token.ranges.some(([first, last]) => first <= code && code <= last) !== token.not;
}
