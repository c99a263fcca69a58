import { TASK_SCENES } from './support/board-states/scenes.js';
import { showScenes } from './support/board-states/show.js';

showScenes(TASK_SCENES);
