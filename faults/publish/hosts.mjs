import { github } from './hosts/github.mjs';

/** The hosts that `faults -- publish --host` knows, each with its double. To add one, add a file and a row. */
export const HOSTS = { github };
