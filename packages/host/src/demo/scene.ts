import type { Paper } from './paper.js';
import type { DemoServers } from './servers.js';

/** What the demo lets crash. */
export interface Scene {
  /** Path of the repository that is blamed. */
  readonly root: string;
  introduce(paper: Paper): void;
  /** Lets it crash and hands the crash over. Returns the ids of the accepted events, in order, so far as they are known. */
  crash(
    paper: Paper,
    servers: DemoServers,
  ): Promise<{ readonly sent: number; readonly ids: readonly string[] }>;
}
