import { escapeHtml } from '../http/escape-html.js';

export interface SourcePage {
  readonly project: string;
  readonly sha: string;
  readonly path: string;
  readonly text: string;
  /** URLs of the stylesheet and of the board. */
  readonly css: string;
  readonly home: string;
}

/** A page for a file, with numbered lines and links to them. The content is untrusted and always escaped. */
export function renderSourcePage({ project, sha, path, text, css, home }: SourcePage): string {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const rows = lines.map((line, index) => {
    const number = index + 1;
    return `<li id="L${number}"><a href="#L${number}" aria-label="Line ${number}">${number}</a><code>${escapeHtml(line.replace(/\r$/, ''))}</code></li>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(path)} at ${sha.slice(0, 10)}</title>
<link rel="stylesheet" href="${escapeHtml(css)}">
</head>
<body>
<header><a href="${escapeHtml(home)}">Culprit</a><h1>${escapeHtml(path)}</h1><p>${escapeHtml(project)} at <code>${sha}</code>, ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}</p></header>
<main><ol>
${rows.join('\n')}
</ol></main>
</body>
</html>
`;
}
