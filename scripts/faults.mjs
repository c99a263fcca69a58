// Injects faults into one area, named like its file in `faults`. With --json the last line is one JSON object.
import { runArea } from './lib/areas.mjs';

runArea('faults', '[--rounds N] [--json]');
