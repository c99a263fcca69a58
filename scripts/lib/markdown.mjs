/** A reference page: title, a note that it is generated, an introduction and a table. */
export function page(title, intro, body) {
  const note = '<!-- Made by `node scripts/reference.mjs` from the code. Change the code, not this page. -->';
  return `# ${title}\n\n${note}\n\n${intro}\n\n${body}`;
}

export function table(head, rows) {
  const text = (cell) => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' ');
  const line = (cells) => `| ${cells.map(text).join(' | ')} |\n`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('');
}

export const code = (text) => `\`${text}\``;
