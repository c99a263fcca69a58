import { OTHER_SCENES } from './support/board-states/scenes.js';
import { comparePictures, showScenes } from './support/board-states/show.js';

showScenes(OTHER_SCENES);
comparePictures();
