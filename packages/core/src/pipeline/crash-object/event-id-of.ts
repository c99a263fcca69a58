import { EVENT_ID, EVENT_ID_RULE } from '../../domain/event-id.js';
import type { JsonObject } from '../../domain/json.js';
import { CulpritError } from '../../errors/error.js';

/** The crash's own `event_id`; `null` if it has none. Throws `malformed` for any other form. */
export function eventIdOf(crash: JsonObject): string | null {
  const id = Object.hasOwn(crash, 'event_id') ? crash.event_id : null;
  if (id === undefined || id === null) return null;
  if (typeof id === 'string' && EVENT_ID.test(id)) return id;
  throw new CulpritError('malformed', `event_id ${EVENT_ID_RULE}.`, { path: 'event_id' });
}
