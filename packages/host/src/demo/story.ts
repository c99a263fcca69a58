import type { OutboxIssue } from '@culprit/connectors/git';
import type { Run } from '@culprit/core';
import type { Suspect } from '@culprit/core/internal/domain/suspect';
import { likelihood, VERDICT_WORDS } from '@culprit/core/internal/domain/verdict';
import { oneLine } from '../cli/print.js';
import { print, type Style, styleFor } from '../log/terminal.js';
import type { TimedAnswer } from './doors.js';

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
function ago(iso: string, now: number): string {
  const hours = Math.max(0, (now - Date.parse(iso)) / 3_600_000);
  if (hours >= 48) return `${Math.floor(hours / 24)} days ago`;
  if (hours >= 2) return `${Math.floor(hours)} hours ago`;
  return 'just now';
}

/** Prints the response of a door. */
export function printDoor(story: StoryPrinter, door: string, what: string, answer: TimedAnswer | null): void {
  const text = what.padEnd(46);
  if (answer === null) {
    story.pair(door, text.trimEnd());
    return;
  }
  const ok = answer.status < 300;
  const status = story.style(ok ? 'green' : 'red', String(answer.status));
  story.pair(door, `${text} ${status}  ${answer.ms.toFixed(0).padStart(3)} ms`);
  if (!ok) story.pair('', story.style('red', answer.detail ?? 'no reason given'));
}

/** Prints the suspects with reasons, or why there are none. */
export function printSuspects(story: StoryPrinter, run: Run, now: number): void {
  if (run.no_suspect !== null) story.pair('no suspect', run.no_suspect.detail);
  run.suspects.slice(0, 3).forEach((suspect, index) => {
    printSuspect(story, suspect, index === 0, now);
  });
}

function printSuspect(story: StoryPrinter, suspect: Suspect, first: boolean, now: number): void {
  const percent = (suspect.probability === null ? '' : likelihood(suspect)).padStart(5);
  const title = oneLine(suspect.title);
  story.line(
    `${story.style(first ? 'green' : 'dim', percent)}  ${suspect.sha.slice(0, 8)}  ${first ? story.style('bold', title) : title}`,
  );
  const author = `${oneLine(suspect.author.name)}, ${ago(suspect.committed_at, now)}`;
  story.line(`       ${story.style('dim', `${VERDICT_WORDS[suspect.verdict]} · ${author}`)}`);
  if (!first) return;
  for (const { text } of suspect.reasons) story.line(`       ${story.style('dim', '·')} ${oneLine(text)}`);
}

/** Prints the first lines of a crashed program's stderr. */
export function printCrash(story: StoryPrinter, command: string, stderr: string, root: string): void {
  story.line(`${story.style('dim', '$')} ${command}`);
  const lines = stderr
    .replaceAll(`file://${root}/`, '')
    .replaceAll(`${root}/`, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !/\(?node:internal|^Node\.js v/.test(line));
  for (const line of lines.slice(0, 9)) {
    const red = /^\w*(Error|Exception)\b/.test(line);
    story.line(`  ${red ? story.style('red', line) : story.style('dim', line)}`);
  }
  if (lines.length > 9) story.line(`  ${story.style('dim', `… ${lines.length - 9} more lines`)}`);
}

/** Prints the stored issue without its file header. */
export function printIssue(
  story: StoryPrinter,
  place: { readonly name: string; readonly at: string },
  issue: Pick<OutboxIssue, 'title' | 'body' | 'labels'>,
): void {
  story.pair(place.name, place.at);
  story.pair('labels', oneLine(issue.labels.join(', ')));
  story.line();
  story.rule('issue');
  story.verbatim(`${story.style('bold', `# ${oneLine(issue.title)}`)}\n\n${issue.body.trimEnd()}`);
  story.rule('end of issue');
  story.line();
}
