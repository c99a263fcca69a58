import { CulpritError } from '../../errors/error.js';

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
