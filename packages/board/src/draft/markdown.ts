import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** Parses GitHub-flavoured Markdown. A separate chunk, because only drafts need it. */
export function parseMarkdown(text: string): Root {
  return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

/** The side effects of a text on GitHub. */
export interface Effects {
  readonly links: readonly string[];
  /** Accounts that GitHub would notify. */
  readonly mentions: readonly string[];
  /** `#12`, `owner/name#12`, `GH-12`: GitHub would link to this issue from there. */
  readonly references: readonly string[];
  readonly images: number;
  /** HTML other than the few tags that drafts use. */
  readonly html: readonly string[];
  /** `fixes #12` and similar. */
  readonly closes: readonly string[];
}

const MENTION = /(?<![\w`/@.-])@([a-z\d](?:[a-z\d-]{0,38})(?:\/[\w-]+)?)/gi;
const REFERENCE = /(?<![\w&/-])(?:[\w.-]+\/[\w.-]+)?#\d+\b|\bGH-\d+\b/gi;
const CLOSING = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\s*:?\s+(?:[\w.-]+\/[\w.-]+)?(?:#|GH-)\d+/gi;
export const KNOWN_TAGS = /^(?:<!--[\s\S]*?-->|<\/?(?:details|summary|sub|sup|kbd|br)\s*\/?>|[^<]|\s)*$/i;

export function effectsOf(root: Root): Effects {
  const links: string[] = [];
  const mentions: string[] = [];
  const references: string[] = [];
  const html: string[] = [];
  const closes: string[] = [];
  let images = 0;
  const walk = (node: Nodes, inLink: boolean) => {
    if (node.type === 'text' && !inLink) {
      for (const [, name = ''] of node.value.matchAll(MENTION)) mentions.push(name);
      references.push(...(node.value.match(REFERENCE) ?? []));
      closes.push(...(node.value.match(CLOSING) ?? []));
    }
    if (node.type === 'link' || node.type === 'definition') links.push(node.url);
    if (node.type === 'image' || node.type === 'imageReference') images++;
    if (node.type === 'html' && !KNOWN_TAGS.test(node.value)) html.push(node.value);
    if ('children' in node) for (const child of node.children) walk(child, inLink || node.type === 'link');
  };
  walk(root, false);
  return { links, mentions, references, images, html, closes };
}
