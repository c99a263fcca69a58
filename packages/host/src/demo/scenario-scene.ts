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
        if (answer.status >= 300)
          throw new CulpritError('internal', 'The edge rejected the crash; see the reason above.');
        if (answer.event_id !== null) ids.push(answer.event_id);
      }
      return { sent: ids.length, ids };
    },
  };
}
