import { CulpritError, type JsonObject } from '@culprit/core';
import { sendCrash } from './doors.js';
import { crashAt, type OwnRepository, openRepository, type Place } from './own-repository.js';
import { printCrash, printDoor } from './print-story.js';
import { runProgram } from './run-program.js';
import type { Scene } from './scene.js';

export interface OwnCrash {
  readonly repository: string;
  /** Either a line to report a crash at … */
  readonly crash: Place | null;
  /** … or a program to run, with its arguments. */
  readonly command: readonly string[];
}

/** The user's repository, with a crash sent to the native door. Throws if `crash` names no line of it, before any server starts. */
export function ownScene({ repository: path, crash: place, command }: OwnCrash): Scene {
  const repository = openRepository(path);
  const atPlace = place === null ? null : { ...place, crash: crashAt(repository, place, 'demo') };
  return {
    root: repository.root,
    introduce(story) {
      story.pair('repository', repository.root);
      const { commits, authors, head } = repository;
      story.pair(
        '',
        `${commits} ${commits === 1 ? 'commit' : 'commits'}, ${authors} ${authors === 1 ? 'author' : 'authors'}, as of ${head.slice(0, 8)}`,
      );
    },
    async crash(story, servers) {
      let crash: JsonObject;
      if (atPlace === null) {
        const stderr = await runCommand(repository, command);
        printCrash(story, command.join(' '), stderr, repository.root);
        crash = { level: 'fatal', release: repository.head, environment: 'demo', stack: stderr };
      } else {
        crash = atPlace.crash;
        story.pair('crash at', `${atPlace.path}:${atPlace.line}`);
      }
      const answer = await sendCrash(servers, 'native', crash);
      printDoor(story, 'native door', atPlace === null ? 'its stderr' : 'a crash at this line', answer);
      if (answer.status >= 300)
        throw new CulpritError('internal', 'The edge rejected the crash; see the reason above.');
      return { sent: 1, ids: [answer.event_id] };
    },
  };
}

async function runCommand(repository: OwnRepository, command: readonly string[]): Promise<string> {
  const [program = '', ...args] = command;
  const name = command.join(' ');
  const ended = await runProgram(program, args, { cwd: repository.root, inherit: true });
  if (ended.failure !== null)
    throw new CulpritError('malformed', `Cannot start \`${name}\`: ${ended.failure}.`);
  if (ended.timedOut)
    throw new CulpritError('malformed', `\`${name}\` did not exit within two minutes and was stopped.`);
  if (ended.stderr.trim() === '') {
    const how = `exited with code ${ended.exitCode}`;
    throw new CulpritError(
      'malformed',
      `\`${name}\` ${how} and printed nothing to stderr. There is no crash to report.`,
    );
  }
  if (ended.exitCode === 0) {
    throw new CulpritError('malformed', `\`${name}\` exited with code 0. There is no crash to report.`);
  }
  return ended.stderr;
}
