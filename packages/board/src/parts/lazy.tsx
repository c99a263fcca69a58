import type { ComponentType } from 'preact';
import { chunk } from './chunk.js';

/** A component whose chunk is loaded when it is first shown; until then it is empty. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const useComponent = chunk(load);
  return function Lazy(props: Props) {
    const Component = useComponent();
    return Component === null ? null : <Component {...props} />;
  };
}
