import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedCall } from '@culprit/core/internal/domain/evidence';
import { createReplayer } from './in-process.js';
import { distinctAnswers, readRecipe, recipeHost } from './recipe.js';
import type { DeliveryCase } from './replay-case.js';
import { readJson, SCENARIO_FILES } from './scenario.js';

/**
 * Queries the repository of a scenario's recipe with real git and stores the answers next to the recipe. Resolves with the
 * updated case; a case without a recipe is unchanged.
 */
export async function recordAnswers(one: DeliveryCase): Promise<DeliveryCase> {
  const recipe = one.folder === null ? null : join(one.folder, SCENARIO_FILES.recipe);
  if (one.folder === null || recipe === null || !existsSync(recipe)) return one;
  const answers = await askRecipe(one, recipe);
  writeFileSync(join(one.folder, SCENARIO_FILES.answers), answersText(answers));
  return { ...one, answers };
}

export async function askRecipe(one: DeliveryCase, recipe: string): Promise<readonly RecordedCall[]> {
  const host = recipeHost(readRecipe(readJson(recipe), recipe), one.project.repository ?? 'none/none');
  try {
    const calls: RecordedCall[] = [];
    const replayCase = await createReplayer({
      until: 'gate2',
      offline: false,
      codeHost: host.connector,
      onEvidence: (bundle) => void calls.push(...bundle.calls),
    });
    await replayCase(one);
    return distinctAnswers(calls);
  } finally {
    host.close();
  }
}

/** One answer on each line, so that diffs are readable. */
function answersText(answers: readonly RecordedCall[]): string {
  return `[\n${answers.map((answer) => JSON.stringify(answer)).join(',\n')}\n]\n`;
}
