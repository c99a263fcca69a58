import { CulpritError } from '../../errors/error.js';

const LONGEST = 500;
/** Ways in which all repeats of a pattern together may be tried from one place. */
const WAYS = 100_000;

/**
 * A pattern from configuration as an expression that cannot be slow: no unbounded repeat (`*`, `+`, `{2,}`), no repeat
 * of a group that repeats itself, no back reference, and few ways in all. Throws `configuration` with what to write instead.
 */
export function linearPattern(
  source: string,
  { ignoreCase = false, path = 'pattern' }: { readonly ignoreCase?: boolean; readonly path?: string } = {},
): RegExp {
  const refuse = (problem: string): never => {
    throw new CulpritError('configuration', `${path} ${problem}.`, { path });
  };
  if (source === '' || source.length > LONGEST) refuse(`must have 1 to ${LONGEST} characters`);
  // What is escaped or in a class is one character; only what is left repeats and groups.
  const bare = source
    .replace(/\\(?:k<[^>]*>|[1-9]|.)/gs, (part) => (/^\\[k1-9]/.test(part) ? '\\' : 'x'))
    .replace(/\[[^\]]*\]/g, 'x');
  if (bare.includes('\\')) refuse('must not refer back to a group');
  if (/[*+]|\{\d+,\}/.test(bare))
    refuse(
      'must bound its repeats: write {1,64} instead of +, {0,64} instead of * and {2,64} instead of {2,}',
    );
  let ways = 1;
  for (const [, least, most] of bare.matchAll(/\{(\d+)(?:,(\d+))?\}/g)) {
    ways *= Math.max(1, Number(most ?? least) - Number(least) + 1);
  }
  ways *= 2 ** [...bare.matchAll(/[^(]\?/g)].length;
  if (/\)[?{]/.test(bare) && /\)\{/.test(bare) && /\([^()]*\{[^()]*\)\{/.test(bare)) {
    refuse('must not repeat a group that has a repeat in it');
  }
  if (ways > WAYS) refuse('has too many repeats; make their bounds smaller');
  let expression: RegExp;
  try {
    expression = new RegExp(source, ignoreCase ? 'i' : '');
  } catch {
    return refuse('is not a regular expression');
  }
  if (expression.test('')) refuse('must not match an empty text');
  return expression;
}
