import type { World } from './rest/request.js';

/** Simple pages, so that links in issues and responses work. */
export async function page(world: World, path: string): Promise<string | null> {
  const match = /^\/([^/]+\/[^/]+)\/(issues|pull|commit|blob)\/(.+)$/.exec(path);
  const name = match?.[1] ?? '';
  const rest = match?.[3] ?? '';
  if (!match || !world.options.repositories[name]) return null;
  switch (match[2]) {
    case 'issues':
    case 'pull': {
      const issue = world.state.of(name).find(({ number }) => number === Number(rest));
      if (!issue) return null;
      const labels = issue.labels.map((label) => `[${label}]`).join(' ');
      return html(
        `${issue.title} #${issue.number}`,
        `${issue.user} · ${issue.state} ${labels}\n\n${issue.body}`,
      );
    }
    case 'commit': {
      const shown = /^[0-9a-f]{7,40}$/.test(rest)
        ? await world.git(name).text('show', '--no-textconv', '--no-ext-diff', rest)
        : null;
      return shown === null ? null : html(`commit ${rest}`, shown);
    }
    default: {
      const [sha = '', ...file] = rest.split('/');
      const source = decodeURIComponent(file.join('/'));
      const text = /^[0-9a-f]{7,40}$/.test(sha)
        ? await world.git(name).text('show', `${sha}:${source}`)
        : null;
      return text === null ? null : html(source, text);
    }
  }
}

function html(title: string, text: string): string {
  const lines = text
    .split('\n')
    .map((line, index) => `<span id="L${index + 1}">${escapeHtml(line)}</span>`)
    .join('\n');
  return `<!doctype html><meta charset="utf-8"><title>${escapeHtml(title)}</title><h1>${escapeHtml(title)}</h1><pre>${lines}</pre>`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
