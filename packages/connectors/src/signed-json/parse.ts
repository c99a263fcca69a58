import { CulpritError, type ParsedDelivery, type RawDelivery } from '@culprit/core';
import { readJsonObject } from '../shared/json-body.js';

const EVENT_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** The body is the crash: one JSON object. Its shape is checked by core, which knows all forms of a stack. */
export function parseCrash({ body }: RawDelivery): ParsedDelivery {
  const crash = readJsonObject(body);
  const id = Object.hasOwn(crash, 'event_id') ? crash.event_id : null;
  if (id === undefined || id === null) return delivery(crash, null);
  if (typeof id !== 'string' || !EVENT_ID.test(id)) {
    throw new CulpritError('malformed', 'event_id must be 1 to 128 of the characters A-Z a-z 0-9 . _ : -', {
      path: 'event_id',
    });
  }
  return delivery(crash, id);
}

function delivery(crash: ParsedDelivery['crashes'][number]['crash'], id: string | null): ParsedDelivery {
  return { crashes: [{ event_id: id, crash, attachments: [] }], ignored: {}, event_id: id };
}
