import type { World, WorldOptions } from './world.js';

/** A state of the board. Each gets a picture of six views: three widths, light and dark. */
export interface BoardState {
  /** The file name of its picture, and its heading: `sign-dialog`. */
  readonly name: string;
  /** One sentence below the heading. */
  readonly says: string;
  /** CSS selector of what the pictures show at their top. Absent: the start of the page. */
  readonly from?: string;
  /** Brings the page from the previous state to this one, and waits until it is there. */
  readonly reach: (world: World) => Promise<unknown>;
}

/** States that follow each other in one world. */
export interface Scene {
  readonly title: string;
  readonly world?: WorldOptions;
  readonly states: readonly BoardState[];
}
