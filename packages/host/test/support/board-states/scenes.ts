import { ARRIVAL } from './arrival.js';
import { DECISIONS } from './decisions.js';
import { EVIDENCE } from './evidence.js';
import { INSTALLATION } from './installation.js';
import { MANY } from './many.js';
import type { Scene } from './state.js';
import { TROUBLE } from './trouble.js';
import { TURNS } from './turns.js';

/** Every state of the board that has a picture. A new state is a row in one of these. */
export const SCENES: readonly Scene[] = [ARRIVAL, DECISIONS, TURNS, MANY, EVIDENCE, TROUBLE, INSTALLATION];
