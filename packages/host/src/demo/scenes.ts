import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CulpritError, type JsonObject } from '@culprit/core';
import { buildRecipe, readRecipe } from '../replay/recipe.js';
import { isScenario, readJson, readScenario, SCENARIO_FILES, scenarioCase } from '../replay/scenario.js';
import { type DoorAnswer, sendThroughDoor } from '../replay/send.js';
import { sendCrash } from './doors.js';
import { crashAt, type OwnRepository, openRepository, type Place } from './own-repository.js';
import { runProgram } from './run-program.js';
import type { DemoServers } from './servers.js';
import { printCrash, printDoor, type StoryPrinter } from './story.js';

/** The program that crashes in the demo. */
export interface Scene {
  /** Path of the analysed repository. */
  readonly root: string;
  introduce(story: StoryPrinter): void;
  /** Crashes and sends the crash. Returns the known IDs of accepted events, in order. */
  crash(
    story: StoryPrinter,
    servers: DemoServers,
  ): Promise<{ readonly sent: number; readonly ids: readonly (string | null)[] }>;
}

/** The ID of an accepted event. Throws if the door rejected it; its reason is printed. */
export function requireAccepted({ status, event_id }: DoorAnswer): string | null {
  if (status < 300) return event_id;
  throw new CulpritError('internal', 'The edge rejected the crash; see the reason above.');
}

/** A scenario folder: creates its repository in `dataDirectory` and sends its deliveries to their doors. */
export function scenarioScene(path: string, dataDirectory: string): Scene {
  const folder = resolve(path);
  const file = join(folder, SCENARIO_FILES.recipe);
  if (!isScenario(folder) || !existsSync(file)) {
    throw new CulpritError('malformed', `--scenario: ${folder} is not a scenario with a history.json.`);
  }
  const scenario = readScenario(folder);
  const target = join(dataDirectory, 'repository');
  if (!existsSync(join(target, '.git'))) {
    mkdirSync(target, { recursive: true });
    buildRecipe(readRecipe(readJson(file), file), target);
  }
  const { root, commits, authors } = openRepository(target);
  const { items } = scenarioCase(folder);
  return {
    root,
    introduce(story: StoryPrinter) {
      story.pair('scenario', scenario.title);
      story.pair('repository', `${commits} commits by ${authors} people`);
      story.pair('', story.style('dim', root));
    },
    async crash(story: StoryPrinter, servers: DemoServers) {
      const ids: string[] = [];
      for (const item of items) {
        if (!('request' in item)) continue;
        const answer = await sendThroughDoor(servers.edgeUrl, item.request, servers);
        story.pair(`${item.request.door} door`, `${answer.status} ${answer.detail ?? answer.event_id ?? ''}`);
        const id = requireAccepted(answer);
        if (id !== null) ids.push(id);
      }
      return { sent: ids.length, ids };
    },
  };
}

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
      return { sent: 1, ids: [requireAccepted(answer)] };
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
