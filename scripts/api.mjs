// Writes packages/*/api from the built declarations. The law `api-report` compares them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { apiReports } from './lib/api.mjs';
import { root } from './lib/root.mjs';

const reports = apiReports(root);
for (const folder of new Set(reports.map(({ file }) => dirname(file)))) {
  rmSync(join(root, folder), { recursive: true, force: true });
  mkdirSync(join(root, folder));
}
for (const { file, text } of reports) writeFileSync(join(root, file), text);
console.log(`${reports.length} API reports written`);
