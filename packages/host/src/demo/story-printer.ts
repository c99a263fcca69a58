import { print, type Style, styleFor } from '../log/terminal.js';

/** Prints the demo's output: numbered sections, indented lines, and colours on a terminal. */
export interface StoryPrinter {
  /** An empty line and a numbered heading. */
  section(title: string): void;
  line(text?: string): void;
  /** A name and its value in two columns. */
  pair(name: string, text: string): void;
  style(style: Style, text: string): string;
  /** Prints text without indentation. */
  verbatim(text: string): void;
  rule(title: string): void;
}

const INDENT = '   ';
const NAME_WIDTH = 14;
const RULE_WIDTH = 78;

export function storyPrinter(): StoryPrinter {
  const style = styleFor(process.stdout);
  const put = (text: string) => void print(`${text}\n`);
  let sections = 0;
  return {
    section: (title) => {
      sections += 1;
      put(`\n${style('cyan', String(sections))}  ${style('bold', title)}`);
    },
    line: (text = '') => put(text === '' ? '' : `${INDENT}${text}`),
    pair: (name, text) => put(`${INDENT}${style('dim', name.padEnd(NAME_WIDTH))}${text}`),
    style,
    verbatim: put,
    rule: (title) =>
      put(style('dim', `── ${title} ${'─'.repeat(Math.max(3, RULE_WIDTH - title.length - 4))}`)),
  };
}

/** `9 days ago`, `5 hours ago`. */
export function ago(iso: string, now: number): string {
  const hours = Math.max(0, (now - Date.parse(iso)) / 3_600_000);
  if (hours >= 48) return `${Math.floor(hours / 24)} days ago`;
  if (hours >= 2) return `${Math.floor(hours)} hours ago`;
  return 'just now';
}
