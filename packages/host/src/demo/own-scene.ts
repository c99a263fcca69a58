import { CulpritError, type JsonObject } from '@culprit/core';
import { newEventId, sendNative } from './doors.js';
import { crashAt, type OwnRepository, openRepository } from './own-repository.js';
import { runProgram } from './run-program.js';
import type { Scene } from './scene.js';
import { tellCrash, tellDoor } from './tell.js';

export interface OwnCrash {
  readonly repository: string;
  /** Either a place … */
  readonly crash: { readonly path: string; readonly line: number } | null;
  /** … or a program and its arguments. */
  readonly command: readonly string[];
}

/** The user's own repository, reported by the native door. */
export function ownScene({ repository: path, crash: place, command }: OwnCrash): Scene {
  const repository = openRepository(path);
  return {
    root: repository.root,
    introduce(paper) {
      paper.pair('repository', repository.root);
      const { commits, authors, head } = repository;
      paper.pair('', `${commits} commits, ${authors} authors, as of ${head.slice(0, 8)}`);
    },
    async crash(paper, servers) {
      let crash: JsonObject;
      if (place === null) {
        const stderr = await runCommand(repository, command);
        tellCrash(paper, command.join(' '), stderr, repository.root);
        crash = stackCrash(repository, stderr);
      } else {
        crash = crashAt(repository, place, newEventId());
        paper.pair('crash at', `${place.path}:${place.line}`);
      }
      const answer = await sendNative(servers.edgeUrl, servers.serviceToken, crash);
      tellDoor(
        paper,
        'native door',
        place === null ? 'what it printed on stderr' : 'a crash at this line',
        answer,
      );
      if (answer.status >= 300)
        throw new CulpritError('internal', 'The crash was refused; the reason stands above.');
      return { sent: 1, ids: [answer.eventId] };
    },
  };
}

function stackCrash(repository: OwnRepository, stderr: string): JsonObject {
  return {
    event_id: newEventId(),
    timestamp: new Date().toISOString(),
    level: 'fatal',
    release: repository.head,
    environment: 'demo',
    stack: stderr,
  };
}

async function runCommand(repository: OwnRepository, command: readonly string[]): Promise<string> {
  const [program = '', ...args] = command;
  const name = command.join(' ');
  const ended = await runProgram(program, args, { cwd: repository.root, inherit: true });
  if (ended.failure !== null)
    throw new CulpritError('malformed', `\`${name}\` could not be started: ${ended.failure}.`);
  if (ended.timedOut)
    throw new CulpritError('malformed', `\`${name}\` did not end within two minutes and was stopped.`);
  if (ended.stderr.trim() === '') {
    const how = ended.exitCode === 0 ? 'ended well' : `ended with code ${ended.exitCode}`;
    throw new CulpritError(
      'malformed',
      `\`${name}\` ${how} and printed nothing on stderr: there is no crash to report.`,
    );
  }
  if (ended.exitCode === 0) {
    throw new CulpritError('malformed', `\`${name}\` ended well (exit code 0): there is no crash to report.`);
  }
  return ended.stderr;
}
