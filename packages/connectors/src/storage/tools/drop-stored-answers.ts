import type { Logger } from '@culprit/core/connector';
import type { Values } from '@culprit/core/internal/ports/values';
import type { KeyValue } from '../run-store/key-value.js';
import { levelValueKeys } from './dump.js';

/** Version 0.1 kept answers of code hosts among the values, without an end. */
export async function dropStoredAnswers(
  store: Pick<KeyValue, 'entries'>,
  values: Pick<Values, 'delete'>,
  logger: Logger,
): Promise<void> {
  try {
    for (const host of ['github', 'gitlab'])
      for await (const { key } of levelValueKeys(store, [`connector:${host}:answers`]))
        await values.delete(key);
  } catch (error) {
    logger.debug({ err: error }, 'stored answers were not removed');
  }
}
