import type { DemoServers } from './servers.js';
import type { StoryPrinter } from './story-printer.js';

/** What the demo lets crash. */
export interface Scene {
  /** Path of the repository that is blamed. */
  readonly root: string;
  introduce(paper: StoryPrinter): void;
  /** Lets it crash and hands the crash over. Returns the ids of the accepted events, in order, so far as they are known. */
  crash(
    paper: StoryPrinter,
    servers: DemoServers,
  ): Promise<{ readonly sent: number; readonly ids: readonly string[] }>;
}
