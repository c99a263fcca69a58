// Packs the built packages into `release`, to install them elsewhere: see README.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packAll } from './lib/pack.mjs';
import { root } from './lib/root.mjs';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
for (const file of packAll(version)) console.log(`release/${file}`);
