import { DECISION_SCENES } from './support/board-states/scenes.js';
import { showScenes } from './support/board-states/show.js';

showScenes(DECISION_SCENES);
