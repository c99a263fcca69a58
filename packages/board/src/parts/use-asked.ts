import { useResource } from './use-resource.js';

/** Loads a value once per key; `null` while loading. */
export function useAsked<T>(ask: () => Promise<T>, key: string): T | null {
  const { found } = useResource(async () => ({ key, value: await ask() }), key);
  return found?.key === key ? found.value : null;
}
