import t from 'tap';
import { issueOfHostileCrash } from './hostile-crash.js';
import { injectionCorpus } from './injection-corpus.js';
import { escapes, ownWords, parse, titleEscapes } from './markdown-tree.js';

t.setTimeout(600_000);

t.test('nothing escapes through the whole engine: every case, on two platforms', async (t) => {
  const words = ownWords();
  for (const { cases } of injectionCorpus()) {
    for (const { id, text } of cases) {
      for (const platform of ['node', text]) {
        const { title, body } = await issueOfHostileCrash(text, platform);
        t.not(title, '', id);
        t.same([...escapes(parse(body), words), ...titleEscapes(title)].slice(0, 5), [], id);
      }
    }
  }
});
