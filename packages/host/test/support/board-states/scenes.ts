import { ARRIVAL } from './arrival.js';
import { DECISIONS } from './decisions.js';
import { EVIDENCE } from './evidence.js';
import { INSTALLATION } from './installation.js';
import { INVESTIGATIONS } from './investigations.js';
import { MANY } from './many.js';
import { MODELS } from './models.js';
import { SIGN_IN } from './sign-in.js';
import type { Scene } from './state.js';
import { TASKS } from './tasks.js';
import { TROUBLE } from './trouble.js';
import { TURNS } from './turns.js';

/** Each list is one test program, of a minute or two. A new state is a row in one of these scenes. */
export const FIRST_SCENES: readonly Scene[] = [ARRIVAL];
export const DECISION_SCENES: readonly Scene[] = [DECISIONS, TURNS];
export const OTHER_SCENES: readonly Scene[] = [MANY, EVIDENCE, INVESTIGATIONS, TROUBLE, INSTALLATION];
export const TASK_SCENES: readonly Scene[] = [TASKS, MODELS, SIGN_IN];

/** Every state of the board that has a picture. */
export const SCENES: readonly Scene[] = [
  ...FIRST_SCENES,
  ...DECISION_SCENES,
  ...OTHER_SCENES,
  ...TASK_SCENES,
];
