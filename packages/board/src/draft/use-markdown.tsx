import type { VNode } from 'preact';
import { chunk } from '../parts/chunk.js';
import { Scroller } from '../parts/scroller.js';
import { visible } from '../parts/text.js';
import type { Effects } from './markdown.js';
import { Rendered } from './rendered.js';

/** The Markdown parser, once its chunk has loaded. */
const useReader = chunk(() => import('./markdown.js'));

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
