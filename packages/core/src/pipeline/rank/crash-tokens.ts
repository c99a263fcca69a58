/** Words of a crash, by where they stand in it. */
export interface CrashTokens {
  readonly error: ReadonlySet<string>;
  /** Of the source lines of the top frames. */
  readonly source: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
}

const TOKEN = /[A-Za-z_]\w{3,}/g;
const STOP = new Set(
  (
    'abstract async await bool boolean break case catch char class const continue default defined delete double ' +
    'elif else enum error errors except exception export extends false final finally float for from func function ' +
    'goto have import instanceof interface into lambda length line module name none null nullptr object package ' +
    'pass print private protected public raise read reading require rescue return self static string struct super ' +
    'switch that then this throw throws true type typeof uint undefined unsigned value void volatile when where ' +
    'while with yield cannot property properties attribute has not is of type typeerror referenceerror argument ' +
    'arguments block call expected found given index info insert invalid levels list main method missing must ' +
    'positional required start takes unless values'
  ).split(' '),
);
const MOST_TOKENS = 200;

/** Identifiers and words of four letters and more that tell one thing from another. */
export function tokensOf(texts: readonly (string | null)[]): ReadonlySet<string> {
  const tokens = new Set<string>();
  for (const text of texts) {
    for (const token of (text ?? '').slice(0, 4_000).match(TOKEN) ?? []) {
      if (tokens.size < MOST_TOKENS && !STOP.has(token.toLowerCase())) tokens.add(token);
    }
  }
  return tokens;
}

/** Which of the wanted tokens stand in the texts, sorted. */
export function sharedTokens(wanted: ReadonlySet<string>, texts: Iterable<string>): readonly string[] {
  const shared = new Set<string>();
  for (const text of texts) {
    if (shared.size === wanted.size) break;
    for (const token of text.slice(0, 2_000).match(TOKEN) ?? []) if (wanted.has(token)) shared.add(token);
  }
  return [...shared].sort();
}

/** The function's own name, without its class, package or number: `handleV3Response` of `Client$Read.lambda$handleV3Response$0`. */
export function ownName(name: string | null): string {
  const called = (name ?? '').replace(/\([^()]{0,400}\)$/, '').replace(/^.{0,200} in /s, '');
  const last = called.slice(
    Math.max(...['.', '#', ':', '/', '\\', '>'].map((mark) => called.lastIndexOf(mark))) + 1,
  );
  return last.replace(/^lambda\$/, '').replace(/\$\d+$/, '');
}
