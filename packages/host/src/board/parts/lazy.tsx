import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { report } from '../state/session.js';

/** A component whose chunk is loaded when it is first shown; until then it is empty. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [, redraw] = useState(0);
    useEffect(() => {
      if (loaded !== null) return;
      load().then((component) => {
        loaded = component;
        redraw(1);
      }, report);
    }, []);
    const Component = loaded;
    return Component === null ? null : <Component {...props} />;
  };
}
