import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Scroller } from '../parts/scroller.js';
import { visible } from '../parts/text.js';
import { report } from '../state/session.js';
import type { Effects } from './markdown.js';
import { Rendered } from './rendered.js';

type Reader = typeof import('./markdown.js');
let reader: Reader | null = null;

/** The Markdown parser, once its chunk has loaded. */
function useReader(): Reader | null {
  const [, redraw] = useState(0);
  useEffect(() => {
    if (reader !== null) return;
    import('./markdown.js').then((loaded) => {
      reader = loaded;
      redraw(1);
    }, report);
  }, []);
  return reader;
}

export function useMarkdown(text: string): VNode {
  const loaded = useReader();
  if (loaded === null) {
    return (
      <Scroller class="raw untrusted" label="Markdown">
        {visible(text)}
      </Scroller>
    );
  }
  return <Rendered nodes={loaded.parseMarkdown(text).children} />;
}

export function useEffects(text: string): Effects | null {
  const loaded = useReader();
  return loaded === null ? null : loaded.effectsOf(loaded.parseMarkdown(text));
}
