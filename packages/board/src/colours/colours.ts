// A chunk of its own: the tokeniser and its grammars, each after those that it builds on.
import { Prism } from './prism-global.js';
import 'prismjs/components/prism-markup.js';
import 'prismjs/components/prism-clike.js';
import 'prismjs/components/prism-javascript.js';
import 'prismjs/components/prism-jsx.js';
import 'prismjs/components/prism-typescript.js';
import 'prismjs/components/prism-tsx.js';
import 'prismjs/components/prism-python.js';
import 'prismjs/components/prism-java.js';
import 'prismjs/components/prism-kotlin.js';
import 'prismjs/components/prism-scala.js';
import 'prismjs/components/prism-csharp.js';
import 'prismjs/components/prism-go.js';
import 'prismjs/components/prism-ruby.js';
import 'prismjs/components/prism-markup-templating.js';
import 'prismjs/components/prism-php.js';
import 'prismjs/components/prism-rust.js';
import 'prismjs/components/prism-swift.js';
import 'prismjs/components/prism-c.js';
import 'prismjs/components/prism-cpp.js';
import 'prismjs/components/prism-dart.js';
import 'prismjs/components/prism-elixir.js';
import type { Kind } from './kinds.js';
import type { PrismContent, PrismToken } from './prism-token.js';

/** A part of a line with one colour. */
export interface Piece {
  readonly text: string;
  readonly kind: Kind | null;
}

/** The lines in coloured parts; `null` for a language without a grammar. */
export function colourLines(
  lines: readonly string[],
  language: string,
): readonly (readonly Piece[])[] | null {
  const grammar = Object.hasOwn(Prism.languages, language) ? Prism.languages[language] : undefined;
  if (grammar === undefined) return null;
  const coloured: Piece[][] = [[]];
  const add = (text: string, kind: Kind | null) => {
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) coloured.push([]);
      if (part !== '') coloured.at(-1)?.push({ text: part, kind });
    }
  };
  const walk = (content: PrismContent, kind: Kind | null): void => {
    if (typeof content === 'string') add(content, kind);
    else if (Array.isArray(content)) for (const part of content as readonly PrismContent[]) walk(part, kind);
    else {
      const { type, content: inner } = content as PrismToken;
      walk(inner, KINDS.get(type) ?? kind);
    }
  };
  walk(Prism.tokenize(lines.join('\n'), grammar), null);
  return coloured;
}

const KINDS: ReadonlyMap<string, Kind | null> = new Map<string, Kind | null>([
  ['comment', 'comment'],
  ['prolog', 'comment'],
  ['string', 'string'],
  ['char', 'string'],
  ['regex', 'string'],
  ['template-string', 'string'],
  ['triple-quoted-string', 'string'],
  ['interpolation', null],
  ['keyword', 'keyword'],
  ['boolean', 'number'],
  ['number', 'number'],
  ['constant', 'number'],
  ['symbol', 'number'],
  ['function', 'function'],
  ['function-definition', 'function'],
  ['class-name', 'type'],
  ['builtin', 'type'],
  ['annotation', 'type'],
  ['decorator', 'type'],
  ['tag', 'keyword'],
]);
