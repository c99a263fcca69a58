import { forgejo } from './hosts/forgejo.mjs';
import { github } from './hosts/github.mjs';
import { gitlab } from './hosts/gitlab.mjs';
import { outbox } from './hosts/outbox.mjs';

/** The hosts that `faults -- publish --host` knows, each with its double, if it is a server. To add one, add a file and a row. */
export const HOSTS = { github, gitlab, forgejo, outbox };
