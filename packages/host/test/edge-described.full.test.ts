import { compareAnswers } from './support/described-fetch.js';

// The edge's tests again, which fail if an answer is not one that `/openapi.json` describes.
const compared = compareAnswers();
await import('./edge.test.js');
const { default: t } = await import('tap');
t.test('answers were compared', async (t) => {
  t.ok(compared() > 100, `${compared()} answers`);
});
