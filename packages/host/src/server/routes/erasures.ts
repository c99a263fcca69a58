import * as v from 'valibot';
import type { Erasures } from '../erasures/erasures.js';
import { listing, operation } from '../operation.js';
import type { CoreRoute } from '../route.js';
import { confirmedErasureSchema, erasureSchema, newErasureSchema } from '../schema/erasures.js';

const LIMIT = 4 * 1024;
/**
 * Sessions, tokens and webhooks' deliveries belong to no project, and an erasure that stops at the border of a project would leave
 * the person elsewhere: only operators of everything erase.
 */
const OPERATE = { scope: 'operate', reach: 'installation' } as const;
const ALL = '/api/v1/erasures';

/** Counts and erases a person. Whom is only ever in the body of a request, so that no access log of a proxy has it. */
export function erasureRoutes(erasures: () => Erasures): CoreRoute[] {
  return [
    listing({
      ...OPERATE,
      path: ALL,
      id: 'listErasures',
      summary: 'List the latest erasures, newest first; they do not say who was erased',
      what: 'At most 20',
      name: 'erasures',
      entries: v.array(erasureSchema),
      all: () => erasures().list(),
      key: ({ erasure_id }) => erasure_id,
    }),
    operation({
      ...OPERATE,
      at: `POST ${ALL}`,
      bodyLimit: LIMIT,
      id: 'countErasure',
      summary: 'Count what erasing a person would erase, in the background. Changes nothing',
      body: newErasureSchema,
      status: 202,
      what: 'Counting; poll it until its state is `counted`',
      schema: erasureSchema,
      problems: ['erasure_running', 'connector_missing'],
      run: ({ body, reviewer }) => erasures().count(body.person, reviewer),
    }),
    operation({
      ...OPERATE,
      at: `GET ${ALL}/:erasure_id`,
      id: 'getErasure',
      summary: 'Get an erasure and its progress',
      what: 'The erasure',
      schema: erasureSchema,
      problems: ['not_found'],
      run: ({ request }) => erasures().get(request.params.erasure_id ?? ''),
    }),
    operation({
      ...OPERATE,
      at: `POST ${ALL}/:erasure_id/erase`,
      bodyLimit: LIMIT,
      id: 'erasePerson',
      summary:
        'Erase what was counted, for good, in the background. Core counts again first: if the result differs, nothing is erased',
      body: confirmedErasureSchema,
      status: 202,
      what: 'Checking; poll it until its state is `done` or `changed`',
      schema: erasureSchema,
      problems: ['not_found', 'erasure_running', 'erasure_changed', 'connector_missing'],
      run: ({ request, reviewer, body: { person, digest } }) =>
        erasures().erase(request.params.erasure_id ?? '', person, digest, reviewer),
    }),
  ];
}
