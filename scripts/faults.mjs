// Breaks one area on purpose: faults/AREA.mjs. With --json the last line is one JSON object.
import { runArea } from './lib/areas.mjs';

runArea('faults', '[--rounds N] [--json]');
