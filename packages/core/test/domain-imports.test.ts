import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';

/** Every module specifier that loading `url` imports, directly or not. */
function importsFrom(url: URL, seen = new Set<string>()): Set<string> {
  for (const [, specifier = ''] of readFileSync(url, 'utf8')
    .replace(/`[^`]*`/g, '')
    .matchAll(/\b(?:from|import)\s*'([^']+)'/g)) {
    const target = specifier.startsWith('.') ? new URL(specifier, url).href : specifier;
    if (seen.has(target)) continue;
    seen.add(target);
    if (specifier.startsWith('.')) importsFrom(new URL(target), seen);
  }
  return seen;
}

t.test('the domain loads in a browser: valibot is its only import from outside', async (t) => {
  const folder = new URL('.', import.meta.resolve('@culprit/core/internal/domain/run'));
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  t.ok(files.length > 10);
  for (const name of files) {
    const imported = importsFrom(new URL(name, folder));
    t.strictSame(
      [...imported].filter((target) => !target.startsWith('file:')).filter((target) => target !== 'valibot'),
      [],
      name,
    );
  }
});
