import { useEffect, useState } from 'preact/hooks';
import { report } from '../state/session.js';

/**
 * A hook that gives a module once its chunk has loaded, `null` until then. The chunk is loaded once, when a component first wants it.
 * `failed`: what happens if it cannot be loaded.
 */
export function chunk<Module>(
  load: () => Promise<Module>,
  failed: (error: unknown) => void = report,
): (wanted?: boolean) => Module | null {
  let module: Module | null = null;
  return function useChunk(wanted = true) {
    const [, redraw] = useState(0);
    useEffect(() => {
      if (!wanted || module !== null) return;
      load().then((loaded) => {
        module = loaded;
        redraw(1);
      }, failed);
    }, [wanted]);
    return module;
  };
}
