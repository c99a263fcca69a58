import { forgejo } from './hosts/forgejo.mjs';
import { github } from './hosts/github.mjs';
import { gitlab } from './hosts/gitlab.mjs';

/** The hosts that `faults -- publish --host` knows, each with its double. To add one, add a file and a row. */
export const HOSTS = { github, gitlab, forgejo };
