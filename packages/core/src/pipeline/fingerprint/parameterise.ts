/** In order of precedence at the same character. Each alternative is bounded. */
const PARAMETERS: readonly (readonly [name: string, pattern: string])[] = [
  ['email', '[\\w.+-]{1,64}@[\\w-]{1,63}(?:\\.[\\w-]{1,63}){1,8}'],
  ['url', '\\b[a-z][a-z0-9+.-]{1,20}:\\/\\/[^\\s"\'<>]{1,2000}'],
  ['uuid', '\\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\\b'],
  [
    'date',
    '\\b\\d{4}-\\d{2}-\\d{2}(?:[T ]\\d{2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?(?:Z|\\s?[+-]\\d{2}:?\\d{2})?)?\\b|\\b\\d{1,2}:\\d{2}:\\d{2}(?:[.,]\\d{1,9})?\\b',
  ],
  [
    'ip',
    '\\b(?:\\d{1,3}\\.){3}\\d{1,3}(?::\\d{1,5})?\\b|(?<![\\w:])(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}\\b',
  ],
  ['duration', '\\b\\d{1,12}(?:\\.\\d{1,9})?\\s?(?:ms|us|ns|µs|s|sec|secs|seconds|minutes|hours)\\b'],
  [
    'hex',
    '\\b0[xX][0-9a-fA-F]{1,64}\\b|\\b(?=[0-9a-fA-F]{0,127}\\d)(?=\\d{0,127}[a-fA-F])[0-9a-fA-F]{7,128}\\b',
  ],
  ['float', '(?<![\\w.])-?\\d{1,20}\\.\\d{1,20}(?:[eE][+-]?\\d{1,4})?\\b'],
  ['int', '(?<![\\w.])-?\\d{1,40}\\b'],
  ['value', '(?<==\\s?)(?:"[^"]{0,500}"|\'[^\']{0,500}\'|(?:true|false|True|False)\\b)'],
];
const expressionOf = (parameters: typeof PARAMETERS) =>
  new RegExp(parameters.map(([name, pattern]) => `(?<${name}>${pattern})`).join('|'), 'g');
const EVERY = expressionOf(PARAMETERS);
/** The rest needs one of these signs, which most messages do not have. */
const SIGNS = /[@=]|:\/\//;
const SIGNED = new Set(['email', 'url', 'value']);
const UNSIGNED = expressionOf(PARAMETERS.filter(([name]) => !SIGNED.has(name)));

/** A message with its variable parts replaced by their kind: `order <int> of <email>`. First two lines only. */
export function parameterise(message: string): string {
  const lines = message
    .slice(0, 2000)
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim());
  const text = lines
    .filter((line) => line !== '')
    .slice(0, 2)
    .join('\n')
    .slice(0, 1000);
  return text.replace(SIGNS.test(text) ? EVERY : UNSIGNED, (...found: unknown[]) => {
    const groups = found.at(-1) as Record<string, string | undefined>;
    const kind = PARAMETERS.find(([name]) => groups[name] !== undefined)?.[0];
    return `<${kind ?? 'value'}>`;
  });
}
