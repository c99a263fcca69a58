import type { OutboxIssue } from '@culprit/connectors/git';
import type { Run, Suspect } from '@culprit/core';
import type { DoorAnswer } from './doors.js';
import { ago, harmless, type StoryPrinter } from './story-printer.js';

/** One line for a crash that was handed over. */
export function tellDoor(paper: StoryPrinter, door: string, what: string, answer: DoorAnswer | null): void {
  const text = what.padEnd(46);
  if (answer === null) {
    paper.pair(door, text.trimEnd());
    return;
  }
  const ok = answer.status < 300;
  const status = paper.style(ok ? 'green' : 'red', String(answer.status));
  paper.pair(door, `${text} ${status}  ${answer.ms.toFixed(0).padStart(3)} ms`);
  if (!ok) paper.pair('', paper.style('red', harmless(answer.detail ?? 'no reason was given')));
}

/** Who is suspected and why; or why nobody is. */
export function tellSuspects(paper: StoryPrinter, run: Run, now: number): void {
  if (run.no_suspect !== null) paper.pair('no suspect', harmless(run.no_suspect.detail));
  run.suspects.slice(0, 3).forEach((suspect, index) => {
    tellSuspect(paper, suspect, index === 0, now);
  });
}

function tellSuspect(paper: StoryPrinter, suspect: Suspect, first: boolean, now: number): void {
  const percent = `${Math.round(suspect.probability * 100)} %`.padStart(5);
  const title = harmless(suspect.title);
  paper.line(
    `${paper.style(first ? 'green' : 'dim', percent)}  ${suspect.sha.slice(0, 8)}  ${first ? paper.style('bold', title) : title}`,
  );
  const author = `${harmless(suspect.author.name)}, ${ago(suspect.committed_at, now)}`;
  paper.line(`       ${paper.style('dim', `${suspect.verdict} · ${author}`)}`);
  if (!first) return;
  for (const { text } of suspect.reasons) paper.line(`       ${paper.style('dim', '·')} ${harmless(text)}`);
}

/** The first lines of what a program printed when it died. */
export function tellCrash(paper: StoryPrinter, command: string, stderr: string, root: string): void {
  paper.line(`${paper.style('dim', '$')} ${harmless(command)}`);
  const lines = stderr
    .replaceAll(`file://${root}/`, '')
    .replaceAll(`${root}/`, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !/\(?node:internal|^Node\.js v/.test(line));
  for (const line of lines.slice(0, 9)) {
    const red = /^\w*(Error|Exception)\b/.test(line);
    paper.line(`  ${red ? paper.style('red', harmless(line)) : paper.style('dim', harmless(line))}`);
  }
  if (lines.length > 9) paper.line(`  ${paper.style('dim', `… ${lines.length - 9} more lines`)}`);
}

/** The whole issue as it is stored, without the head of its file. */
export function tellIssue(
  paper: StoryPrinter,
  place: { readonly name: string; readonly at: string },
  issue: Pick<OutboxIssue, 'title' | 'body' | 'labels'>,
): void {
  paper.pair(place.name, place.at);
  paper.pair('labels', harmless(issue.labels.join(', ')));
  paper.line();
  paper.rule('the issue');
  paper.verbatim(`${paper.style('bold', `# ${harmless(issue.title)}`)}\n\n${harmless(issue.body.trimEnd())}`);
  paper.rule('end of the issue');
  paper.line();
}
