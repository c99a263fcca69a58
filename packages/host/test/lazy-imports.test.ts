import { readFileSync } from 'node:fs';
import t from 'tap';

/** Every module that loading `url` imports, directly or not; of other packages than ours, the name. */
function importsFrom(url: string, seen = new Set<string>()): Set<string> {
  if (seen.has(url)) return seen;
  seen.add(url);
  for (const [, specifier = ''] of readFileSync(new URL(url), 'utf8').matchAll(
    /\b(?:from|import)\s*'([^']+)'/g,
  )) {
    if (specifier.startsWith('.')) importsFrom(new URL(specifier, url).href, seen);
    else if (specifier.startsWith('@culprit/')) importsFrom(import.meta.resolve(specifier), seen);
    else seen.add(specifier);
  }
  return seen;
}

const here = (path: string) => new URL(`../dist/${path}`, import.meta.url).href;

t.test('the container is loaded with the first engine, not by the edge or a command', async (t) => {
  for (const url of [here('edge/server.js'), here('bin/culprit.js'), import.meta.resolve('@culprit/core')]) {
    const imported = importsFrom(url);
    t.ok(imported.size > 3, url);
    t.notOk(imported.has('tsyringe') || imported.has('reflect-metadata'), url);
  }
  const container = importsFrom(import.meta.resolve('@culprit/core/internal/di/container'));
  t.ok(container.has('tsyringe') && container.has('reflect-metadata'));
});
