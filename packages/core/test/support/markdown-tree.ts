import { readdirSync, readFileSync } from 'node:fs';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** Parsed like GitHub does. */
export function parse(markdown: string): Nodes {
  return fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

/** Targets of links that the tests' code host creates; all other links are foreign. */
const OURS = /^https:\/\/(?:code|issues)\.example\/[^\s<>()|\\^`{}"]*$/;

/**
 * The nodes of the tree, depth first, without the contents of code. A link to the code host counts as its contents, because
 * very long paths and unusual addresses are not linked.
 */
export function skeleton(node: Nodes): string {
  if (node.type === 'inlineCode') return '`';
  if (node.type === 'code') return `fence(${node.lang ?? ''} ${node.meta ?? ''})`;
  if (node.type === 'text') return node.value;
  const children = 'children' in node ? node.children.map((child) => skeleton(child)).join('') : '';
  if (node.type === 'link' && OURS.test(node.url) && node.title == null) return children;
  const { type, position: _position, children: _children, ...own } = node as Nodes & { children?: unknown };
  return `<${type}${JSON.stringify(own)}>${children}</>`;
}

const NODES = new Set(
  'root paragraph heading list listItem strong link text inlineCode code html table tableRow tableCell blockquote thematicBreak'.split(
    ' ',
  ),
);
const HTML = [
  /^<details><summary>[A-Z][a-z ]+<\/summary>$/,
  /^<\/details>$/,
  /^<\/?sub>$/,
  /^<!-- culprit:v1 run=[\w.:]+ digest=[0-9a-f]{64} marker=[0-9a-f]{64} -->$/,
];
/** Plain text with an effect on GitHub that the parser does not know. */
const ACTS =
  /@\w|#\d|\bG[HL]-\d|[!&%][\p{L}\p{N}"'_]|:\/\/|www\.|:[a-z_]+:|\$|\b[0-9a-f]{7,40}\b|!\[|\]\(|\[!|&[a-z#]/iu;
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\u17b4\u17b5]|[\u180b-\u180d\u180f]|[\ufe00-\ufe0d]|(?<!\p{Emoji})[\ufe0e\ufe0f]|\u034f|\p{Surrogate}/u;

/** Whether a character of the text is invisible, reorders it or breaks a line in an unusual way. */
export function hides(text: string): boolean {
  return UNSEEN.test(text);
}

/** The same as a pattern, for a page in a browser. */
export const HIDING = String(UNSEEN);

/** Text outside code that is not Culprit's own, and invisible characters in code. */
export function escapes(tree: Nodes, vocabulary: ReadonlySet<string>): readonly string[] {
  const found: string[] = [];
  const say = (what: string, value: string) =>
    void found.push(`${what}: ${JSON.stringify(value.slice(0, 120))}`);
  const visit = (node: Nodes): void => {
    if (!NODES.has(node.type)) say(`a ${node.type}`, JSON.stringify(node));
    switch (node.type) {
      case 'inlineCode':
        if (UNSEEN.test(node.value) || node.value.includes('\n')) say('hidden in code', node.value);
        return;
      case 'code':
        if (UNSEEN.test(node.value)) say('hidden in a fence', node.value);
        if (!['diff', 'text', null, undefined].includes(node.lang) || node.meta)
          say('a fence of', node.lang ?? '');
        return;
      case 'html':
        if (!HTML.some((ours) => ours.test(node.value))) say('HTML', node.value);
        return;
      case 'text': {
        if (ACTS.test(node.value)) say('text with an effect', node.value);
        const words = node.value.match(/\p{L}[\p{L}\p{M}’']*/gu) ?? [];
        for (const word of words) if (!vocabulary.has(word)) say('a foreign word', word);
        return;
      }
      case 'link':
        if (!OURS.test(node.url) || node.title != null) say('a link', node.url);
    }
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(tree);
  return found;
}

/** The same for text that may hold no link, image or HTML at all, not even Culprit's own. */
export function unlinkedEscapes(markdown: string, vocabulary: ReadonlySet<string>): readonly string[] {
  const tree = parse(markdown);
  const found = [...escapes(tree, vocabulary)];
  const visit = (node: Nodes): void => {
    if (['link', 'image', 'html'].includes(node.type)) found.push(`a ${node.type}`);
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(tree);
  return found;
}

const SOURCES = ['brief', 'draft', 'explain', 'rank'].map(
  (name) => new URL(`../../src/pipeline/${name}/`, import.meta.url),
);

/** Every word of Culprit's own wording, which is all that may appear outside code. `more`: further folders of sources. */
export function ownWords(more: readonly URL[] = []): ReadonlySet<string> {
  const files = [...SOURCES, ...more].flatMap((folder) =>
    readdirSync(folder).map((name) => new URL(name, folder)),
  );
  for (const name of ['run', 'suspect', 'verdict'])
    files.push(new URL(`../../src/domain/${name}.ts`, import.meta.url));
  const words = new Set(['days', 'hours']);
  for (const file of files) {
    for (const [text] of readFileSync(file, 'utf8').matchAll(/'[^'\n]*'|`[^`]*`|"[^"\n]*"/g)) {
      for (const [word] of text.matchAll(/\p{L}[\p{L}\p{M}’']*/gu)) words.add(word.replace(/'$/, ''));
    }
  }
  return words;
}

/** What in a title is markup, a reference or hidden. */
export function titleEscapes(title: string): readonly string[] {
  const found: string[] = [];
  if (!/^[\p{L}\p{M}\p{N} .,:;'"()\-_/=+!?%&*…]{1,256}$/u.test(title)) found.push(`title: ${title}`);
  if (/@|#|:\/\/|www\.|\bGH-\d|[`<>[\]|\\~^${}]|\p{M}{4}/iu.test(title)) found.push(`title acts: ${title}`);
  return found;
}
