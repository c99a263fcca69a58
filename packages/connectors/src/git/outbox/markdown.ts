import MarkdownIt from 'markdown-it';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML text or an attribute value. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

/**
 * Markdown to HTML for pages that show text from anybody. Only a few bare HTML tags pass through, as constants; comments are
 * removed, as on GitHub; all other HTML is shown as text. Links lead to http and https only; images are not loaded.
 */
export function renderMarkdown(text: string): string {
  return markdown.render(text);
}

const TAGS = ['details', 'summary', 'sub', 'sup', 'kbd', 'br'] as const;
const PIECE = new RegExp(`(<!--[\\s\\S]*?-->|</?(?:${TAGS.join('|')})>)`);

const LINK = /^(?:https?:\/\/|#[\w-]*$)/i;

function createMarkdown() {
  const md = new MarkdownIt({ html: true, linkify: false, typographer: false, maxNesting: 20 });
  md.disable('image');
  md.validateLink = (url) => LINK.test(url);
  const html = (text: string) =>
    text
      .split(PIECE)
      .map((piece, index) => {
        if (index % 2 === 0) return escapeHtml(piece);
        return piece.startsWith('<!--') ? '' : piece;
      })
      .join('');

  const { rules } = md.renderer;
  rules.html_block = (tokens, index) => html(tokens[index]?.content ?? '');
  rules.html_inline = (tokens, index) => html(tokens[index]?.content ?? '');
  rules.fence = (tokens, index) => renderCode(tokens[index]?.content ?? '', tokens[index]?.info ?? '');
  rules.code_block = (tokens, index) => renderCode(tokens[index]?.content ?? '', '');
  rules.link_open = (tokens, index, options, _env, self) => {
    const token = tokens[index];
    const href = String(token?.attrGet('href') ?? '');
    token?.attrSet('rel', 'nofollow noopener noreferrer');
    if (token && !LINK.test(href)) token.attrs = null;
    return self.renderToken(tokens, index, options);
  };
  for (const name of ['th_open', 'td_open']) {
    rules[name] = (tokens, index, options, _env, self) => {
      const token = tokens[index];
      const align = /^text-align:(left|center|right)$/.exec(String(token?.attrGet('style') ?? ''))?.[1];
      if (token) token.attrs = align === undefined ? null : [['class', `align-${align}`]];
      return self.renderToken(tokens, index, options);
    };
  }
  rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
  rules.table_close = () => '</table></div>\n';
  return md;
}

const markdown = createMarkdown();

function renderCode(content: string, info: string): string {
  const isDiff = /^diff\b/i.test(info.trim());
  const code = isDiff ? diffLines(content) : escapeHtml(content);
  return `<pre tabindex="0"${isDiff ? ' class="diff"' : ''}><code>${code}</code></pre>\n`;
}

function diffLines(content: string): string {
  return content
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `<span class="${classOfLine(line)}">${escapeHtml(line)}\n</span>`)
    .join('');
}

function classOfLine(line: string): string {
  switch (line[0]) {
    case '+':
      return 'added';
    case '-':
      return 'removed';
    case '@':
      return 'hunk';
    default:
      return 'context';
  }
}
