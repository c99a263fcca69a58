// Checks the rules of docs/architecture.md. Each finding has a location and a reason; any finding fails the check.
import { API_LAWS, apiLaws } from './laws/api.mjs';
import { DOC_LAWS, docLaws } from './laws/docs.mjs';
import { importLaws, importRuleNames } from './laws/imports.mjs';
import { referenceLaw } from './laws/reference.mjs';
import { SHAPE_LAWS, shapeLaws } from './laws/shape.mjs';
import { readSources } from './laws/sources.mjs';
import { TEXT_LAWS, textLaws } from './laws/text.mjs';
import { root as home } from './lib/root.mjs';

// For the test of the laws: --root DIR checks another tree, --json prints the findings and the names of all laws.
const at = process.argv.indexOf('--root');
const root = at === -1 ? home : process.argv[at + 1];
const sources = readSources(root);
const found = [
  ...textLaws(sources),
  ...shapeLaws(root, sources),
  ...docLaws(root),
  ...apiLaws(root),
  ...(await referenceLaw(root)),
  ...importLaws(root),
];
if (process.argv.includes('--json')) {
  console.log(
    JSON.stringify({
      laws: [...TEXT_LAWS, ...SHAPE_LAWS, ...DOC_LAWS, ...API_LAWS, 'reference', ...importRuleNames()],
      found,
    }),
  );
} else {
  for (const { file, line, law, reason } of found) console.error(`${file}:${line}  ${law}: ${reason}`);
  console.log(found.length === 0 ? `laws: ${sources.length} files checked` : `laws: ${found.length} broken`);
}
process.exit(found.length === 0 ? 0 : 1);
