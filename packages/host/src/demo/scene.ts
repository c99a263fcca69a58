import type { DemoServers } from './servers.js';
import type { StoryPrinter } from './story-printer.js';

/** The program that crashes in the demo. */
export interface Scene {
  /** Path of the analysed repository. */
  readonly root: string;
  introduce(story: StoryPrinter): void;
  /** Crashes and sends the crash. Returns the known IDs of accepted events, in order. */
  crash(
    story: StoryPrinter,
    servers: DemoServers,
  ): Promise<{ readonly sent: number; readonly ids: readonly (string | null)[] }>;
}
