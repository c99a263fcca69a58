import t from 'tap';
import { issueOfHostileCrash } from '../support/hostile-crash.js';
import { injectionCorpus } from '../support/injection-corpus.js';
import { escapes, ownWords, parse, titleEscapes, unlinkedEscapes } from '../support/markdown-tree.js';

t.setTimeout(600_000);

t.test('nothing escapes through the whole engine: every case, on two platforms', async (t) => {
  const words = ownWords();
  for (const { cases } of injectionCorpus()) {
    for (const { id, text } of cases) {
      for (const platform of ['node', text]) {
        const { title, body, briefs } = await issueOfHostileCrash(text, platform);
        t.not(title, '', id);
        t.same([...escapes(parse(body), words), ...titleEscapes(title)].slice(0, 5), [], id);
        t.same(briefs.flatMap((brief) => unlinkedEscapes(brief, words)).slice(0, 5), [], `brief of ${id}`);
      }
    }
  }
});

t.test('nothing escapes from source maps: files, functions, lines, releases, addresses', async (t) => {
  const words = ownWords([new URL('../../src/pipeline/source-maps/', import.meta.url)]);
  const kinds = [
    { maps: 'of_repository', says: 'src/' },
    { maps: 'of_others', says: 'uploaded source map' },
    { maps: 'missing', says: 'culprit sourcemaps upload' },
  ] as const;
  const said = kinds.map(() => 0);
  const cases = injectionCorpus().flatMap((one) => one.cases);
  for (const [index, { id, text }] of cases.entries()) {
    for (const [at, { maps, says }] of kinds.entries()) {
      if (at !== index % kinds.length) continue;
      const { title, body, briefs } = await issueOfHostileCrash(text, 'node', maps);
      t.same([...escapes(parse(body), words), ...titleEscapes(title)].slice(0, 5), [], `${maps}: ${id}`);
      const found = briefs.flatMap((brief) => unlinkedEscapes(brief, words));
      t.same(found.slice(0, 5), [], `${maps}: brief of ${id}`);
      if (body.includes(says)) said[at] = (said[at] ?? 0) + 1;
    }
  }
  t.ok(Math.min(...said) > 30, `drafts that say so: ${said}`);
});

// Every case alone, too, which takes too long for `npm test`.
await import('./injection.test.js');
