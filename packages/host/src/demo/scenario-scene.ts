import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CulpritError } from '@culprit/core';
import { buildRecipe, readRecipe } from '../replay/recipe.js';
import { isScenario, readJson, readScenario, SCENARIO_FILES, scenarioCase } from '../replay/scenario.js';
import { sendThroughDoor } from '../replay/send.js';
import { openRepository } from './own-repository.js';
import type { Scene } from './scene.js';
import type { DemoServers } from './servers.js';
import type { StoryPrinter } from './story-printer.js';

/** A scenario folder: its repository built from its recipe in `dataDirectory`, its deliveries through their doors. */
export function scenarioScene(path: string, dataDirectory: string): Scene {
  const folder = resolve(path);
  const file = join(folder, SCENARIO_FILES.recipe);
  if (!isScenario(folder) || !existsSync(file)) {
    throw new CulpritError('malformed', `--scenario: ${folder} is no scenario with a history.json.`);
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
    introduce(paper: StoryPrinter) {
      paper.pair('scenario', scenario.title);
      paper.pair('repository', `${commits} commits by ${authors} people`);
      paper.pair('', paper.style('dim', root));
    },
    async crash(paper: StoryPrinter, servers: DemoServers) {
      const ids: string[] = [];
      for (const item of items) {
        if (!('request' in item)) continue;
        const answer = await sendThroughDoor(servers.edgeUrl, item.request, servers);
        paper.pair(`${item.request.door} door`, `${answer.status} ${answer.detail ?? answer.event_id ?? ''}`);
        if (answer.status >= 300)
          throw new CulpritError('internal', 'A door refused the crash; the reason stands above.');
        if (answer.event_id !== null) ids.push(answer.event_id);
      }
      return { sent: ids.length, ids };
    },
  };
}
