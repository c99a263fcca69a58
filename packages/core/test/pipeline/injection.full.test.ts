import t from 'tap';
import { injectionCorpus } from '../support/injection-corpus.js';
import { escapes, ownWords, parse, titleEscapes, unlinkedEscapes } from '../support/markdown-tree.js';
import { issueOfHostileCrash } from './hostile-crash.js';

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
