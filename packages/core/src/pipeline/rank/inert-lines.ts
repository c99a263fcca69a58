/** Prefixes of line comments by language; languages with `//` also have block comments. */
const HASH = /\.(?:pyi?|rb|rake|gemspec|php|pl|pm|sh|bash|ya?ml|toml|exs?|cr|nim|coffee|tf|r)$/i;
const SLASHES =
  /\.(?:[cm]?[jt]sx?|java|kts?|go|php|cs|rs|c|h|cc|cpp|cxx|hh|hpp|swift|scala|groovy|dart|mm?)$/i;
const DASHES = /\.(?:sql|lua|hs|elm)$/i;
/** How a comment after code begins. */
const TRAILING: readonly (readonly [RegExp, RegExp])[] = [
  [SLASHES, /\s\/\/\s/],
  [HASH, /\s#\s/],
  [DASHES, /\s--\s/],
];

/** Comments with an effect: Go's build tags and embeds, Ruby's frozen strings, PHP's attributes and annotations, JSX. */
const OBEYED =
  /^(?:\/\/(?:go:|export |\s*\+build)|#\s*(?:-\*-\s*)?frozen[_-]string[_-]literal|#\[|\/\*+\s*@jsx|\/?\*+\s*@[A-Z])/;
/** Statements that only set a mode; formatters and linters write them at the top of a file. */
const DIRECTIVE = /^(?:'use strict'|"use strict");?$|^#.{0,20}\bcoding[:=]/;

export interface SpeakingLines<T> {
  /** Without blank lines, comments and directives. */
  readonly code: readonly T[];
  readonly directives: number;
}

/** The lines of a block that affect the program. */
export function speakingLines<T extends { readonly text: string }>(
  lines: readonly T[],
  path: string,
): SpeakingLines<T> {
  const code: T[] = [];
  let directives = 0;
  let comment: T[] = [];
  for (const line of lines) {
    const text = line.text.trim();
    const opens = comment.length === 0 && text.startsWith('/*') && SLASHES.test(path);
    if (OBEYED.test(text)) code.push(line);
    else if (opens || comment.length > 0) {
      const end = text.indexOf('*/', opens ? 2 : 0);
      comment.push(line);
      if (end >= 0 && end < text.length - 2) code.push(line);
      if (end >= 0) comment = [];
    } else if (DIRECTIVE.test(text)) directives++;
    else if (text !== '' && !isLineComment(text, path)) code.push(line);
  }
  return { code: [...code, ...comment], directives };
}

/** The line without a comment at its end; the same if the mark may belong to a string. */
export function withoutTrailingComment(text: string, path: string): string {
  const [, mark] = TRAILING.find(([files]) => files.test(path)) ?? [];
  const at = mark === undefined ? -1 : text.search(mark);
  const code = text.slice(0, Math.max(0, at));
  const quotes = code.match(/["'`]/g)?.length ?? 0;
  return code.trim() === '' || quotes % 2 === 1 ? text : code.trimEnd();
}

function isLineComment(text: string, path: string): boolean {
  if (text.startsWith('#')) return HASH.test(path);
  if (text.startsWith('//')) return SLASHES.test(path);
  return text.startsWith('--') && DASHES.test(path);
}
