import type { AlignType, Nodes, RootContent } from 'mdast';
import type { ComponentChildren, VNode } from 'preact';
import { chunk } from '../parts/chunk.js';
import { CodeScroller, Scroller } from '../parts/scroller.js';
import { Out, visible } from '../parts/text.js';
import type { Effects } from './markdown.js';

/** The Markdown parser, once its chunk has loaded. */
const useReader = chunk(() => import('./markdown.js'));

export function useMarkdown(text: string): VNode {
  const loaded = useReader();
  if (loaded === null) {
    return (
      <Scroller class="raw untrusted" label="Markdown">
        {visible(text)}
      </Scroller>
    );
  }
  return <Rendered nodes={loaded.parseMarkdown(text).children} />;
}

export function useEffects(text: string): Effects | null {
  const loaded = useReader();
  return loaded === null ? null : loaded.effectsOf(loaded.parseMarkdown(text));
}

/**
 * Markdown as elements. Nothing is ever parsed as HTML here: of raw tags the few that drafts use become elements without
 * attributes, comments are hidden as on GitHub, and every other one is shown as the text that it is.
 */
function Rendered({ nodes }: { readonly nodes: readonly RootContent[] }) {
  return <div class="markdown untrusted">{siblings(nodes)}</div>;
}

const PIECES = /<!--[\s\S]*?-->|<(\/?)(details|summary|sub|sup|kbd|br)\s*\/?>|[^<]+|</gi;
const TAGS = { details: 'details', summary: 'summary', sub: 'sub', sup: 'sup', kbd: 'kbd' } as const;
type Tag = keyof typeof TAGS;
interface Level {
  readonly tag: Tag | null;
  readonly content: ComponentChildren[];
}

/** Tags are nodes of their own, so an element is built from the nodes between its two tags. */
function siblings(nodes: readonly Nodes[]): ComponentChildren[] {
  const levels: Level[] = [{ tag: null, content: [] }];
  const add = (child: ComponentChildren) => levels.at(-1)?.content.push(child);
  const close = () => {
    const level = levels.length > 1 ? levels.pop() : undefined;
    if (level?.tag) add(element(level.tag, level.content));
  };
  for (const node of nodes) {
    if (node.type !== 'html') {
      add(one(node));
      continue;
    }
    for (const [piece, slash, name] of node.value.matchAll(PIECES)) {
      const tag = name?.toLowerCase();
      if (piece.startsWith('<!--')) continue;
      if (tag === 'br') add(<br />);
      else if (tag === undefined) add(visible(piece));
      else if (slash === '/' && levels.at(-1)?.tag === tag) close();
      else if (slash === '/') add(piece);
      else levels.push({ tag: tag as Tag, content: [] });
    }
  }
  while (levels.length > 1) close();
  return levels[0]?.content ?? [];
}

function element(tag: Tag, content: ComponentChildren[]): VNode {
  const Element = TAGS[tag];
  return <Element>{content}</Element>;
}

function one(node: Nodes): ComponentChildren {
  switch (node.type) {
    case 'text':
      return visible(node.value);
    case 'inlineCode':
      return <code>{visible(node.value)}</code>;
    case 'code':
      return <Fence lang={node.lang ?? ''} text={node.value} />;
    case 'heading':
      return <Heading depth={node.depth}>{siblings(node.children)}</Heading>;
    case 'paragraph':
      return <p>{siblings(node.children)}</p>;
    case 'emphasis':
      return <em>{siblings(node.children)}</em>;
    case 'strong':
      return <strong>{siblings(node.children)}</strong>;
    case 'delete':
      return <del>{siblings(node.children)}</del>;
    case 'blockquote':
      return <blockquote>{siblings(node.children)}</blockquote>;
    case 'thematicBreak':
      return <hr />;
    case 'break':
      return <br />;
    case 'link':
      return <Out to={node.url}>{siblings(node.children)}</Out>;
    case 'image':
      return <code>[image not loaded: {visible(node.url)}]</code>;
    case 'list':
      return node.ordered ? (
        <ol start={node.start ?? 1}>{siblings(node.children)}</ol>
      ) : (
        <ul>{siblings(node.children)}</ul>
      );
    case 'listItem': {
      const [only] = node.children;
      const tight = !node.spread && node.children.length === 1 && only?.type === 'paragraph';
      return <li>{tight ? siblings(only.children) : siblings(node.children)}</li>;
    }
    case 'table':
      return <Table rows={node.children.map(({ children }) => children)} align={node.align ?? []} />;
    default:
      return 'children' in node ? siblings(node.children) : null;
  }
}

/** One level below the page's own headings. */
function Heading({ depth, children }: { readonly depth: number; readonly children: ComponentChildren }) {
  return depth <= 3 ? <h4>{children}</h4> : <h5>{children}</h5>;
}

function Fence({ lang, text }: { readonly lang: string; readonly text: string }) {
  const kinds = { '+': 'added', '-': 'removed' } as const;
  const lines = visible(text).split('\n');
  return (
    <CodeScroller class="code" label="Code">
      {lang === 'diff'
        ? lines.map((line) => <span class={`line ${kinds[line[0] as '+' | '-'] ?? ''}`}>{line || ' '}</span>)
        : lines.join('\n')}
    </CodeScroller>
  );
}

interface TableProps {
  readonly rows: readonly (readonly Nodes[])[];
  readonly align: readonly AlignType[];
}

function Table({ rows: [head = [], ...body], align }: TableProps) {
  const cell = (node: Nodes) => ('children' in node ? siblings(node.children) : null);
  const empty = head.every((node) => 'children' in node && node.children.length === 0);
  return (
    <Scroller class="table" label="Table">
      <table>
        {!empty && (
          <thead>
            <tr>
              {head.map((node, at) => (
                <th scope="col" data-align={align[at] ?? undefined}>
                  {cell(node)}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {body.map((row) => (
            <tr>
              {row.map((node, at) => (
                <td data-align={align[at] ?? undefined}>{cell(node)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
