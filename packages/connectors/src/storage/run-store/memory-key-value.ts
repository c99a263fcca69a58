import type { KeyValue } from './key-value.js';
import { sortedKeys } from './sorted-keys.js';

/** A {@link KeyValue} that is lost with the process. */
export function memoryKeyValue(): KeyValue {
  const values = new Map<string, string>();
  const order = sortedKeys();
  return {
    getMany: async (keys) => keys.map((key) => values.get(key)),
    entries: async ({ gt, lt, limit }) => {
      const found: [string, string][] = [];
      for (const key of order.between(gt, lt)) {
        if (found.length >= limit) break;
        found.push([key, values.get(key) ?? '']);
      }
      return found;
    },
    batch: async (operations) => {
      for (const operation of operations) {
        const { key } = operation;
        if (operation.type === 'put') {
          if (!values.has(key)) order.add(key);
          values.set(key, operation.value);
        } else if (values.delete(key)) {
          order.remove(key);
        }
      }
    },
    recover: async () => {},
    close: async () => {},
  };
}
