/** The form of an event id on the native and webhook doors, in the spool and in a batch. */
export const EVENT_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Completes "event_id …". */
export const EVENT_ID_RULE = 'must be 1 to 128 of the characters A-Z a-z 0-9 . _ : -';
