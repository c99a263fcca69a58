// Runs the bench of one area, named like its file in `bench`. With --json the last line is one JSON object.
import { runArea } from './lib/areas.mjs';

runArea('bench', '[--quick] [--json]');
