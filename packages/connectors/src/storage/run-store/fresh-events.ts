import type { Event } from '@culprit/core';
import { isKeptEvent } from '@culprit/core/internal/domain/kept-events';
import { trustOf } from '@culprit/core/internal/domain/trust';
import { keys } from './keys.js';
import type { EventToKeep } from './occurrence-log.js';
import type { FreshEvents } from './record-quotas.js';
import { loggedOf, type RunHead } from './run-parts.js';
import type { Transaction } from './writer.js';

/** An event and the number of its occurrence in its run. */
export interface NumberedEvent {
  readonly number: number;
  readonly event: Event;
}

/** The stored events of runs with one occurrence. */
export async function loadFirsts(
  tx: Transaction,
  heads: ReadonlyMap<string, RunHead>,
): Promise<ReadonlyMap<string, string>> {
  const ids = [...heads].flatMap(([id, head]) =>
    loggedOf(head) === 1 && head.log?.shown === 1 && !head.tombstone ? [id] : [],
  );
  const texts = ids.length > 0 ? await tx.getMany(ids.map(keys.event)) : [];
  return new Map(
    ids.flatMap((id, at) => {
      const text = texts[at];
      return text === undefined ? [] : [[id, text] as const];
    }),
  );
}

/** The event to show, and those that stay stored when a later one is shown. */
export function freshEvents(
  before: RunHead | null,
  { first, shown }: { readonly first: NumberedEvent | null; readonly shown: NumberedEvent | null },
  storedFirst: string | undefined,
  textOf: (event: Event) => string,
): FreshEvents {
  if (shown === null) return { shown, further: [] };
  const { number, event } = shown;
  const text = textOf(event);
  const further: EventToKeep[] = [];
  if (number > 1 && first !== null) further.push({ number: 1, text: textOf(first.event) });
  if (number > 1 && storedFirst !== undefined) further.push({ number: 1, text: storedFirst });
  const kept = [...(before?.log?.kept ?? []), ...further.map(({ number: n }) => [n, 0] as const)];
  if (number > 1 && isKeptEvent(number, event, kept, before?.run.releases ?? []))
    further.push({ number, text });
  return { shown: { number, text, trust: trustOf(event) }, further };
}
