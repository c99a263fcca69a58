// Measures one area: bench/AREA.mjs. With --json the last line is one JSON object.
import { runArea } from './lib/areas.mjs';

runArea('bench', '[--quick] [--json]');
