import { jsonResponse } from '../../http/problem-response.js';
import type { Erasures } from '../erasures/erasures.js';
import { OPTIONAL_PAGE_PARAMETERS, pageOf, pageResponse } from '../paging.js';
import { readBody } from '../read-body.js';
import type { CoreRoute, ReviewerCall } from '../route.js';
import {
  confirmedErasureSchema,
  erasureSchema,
  erasuresSchema,
  newErasureSchema,
} from '../schema/erasures.js';

const LIMIT = 4 * 1024;
/**
 * Sessions, tokens and webhooks' deliveries belong to no project, and an erasure that stops at the border of a project would leave
 * the person elsewhere: only operators of everything erase.
 */
const OPERATE = { access: 'reviewer', scope: 'operate', reach: 'installation' } as const;
const PATTERN = '/api/v1/erasures';

/** Counts and erases a person. Whom is only ever in the body of a request, so that no access log of a proxy has it. */
export function erasureRoutes(erasures: () => Erasures): CoreRoute[] {
  return [
    {
      ...OPERATE,
      method: 'GET',
      pattern: PATTERN,
      doc: {
        id: 'listErasures',
        summary: 'List the latest erasures, newest first; they do not say who was erased',
        query: OPTIONAL_PAGE_PARAMETERS,
        answers: { 200: { what: 'At most 20', schema: erasuresSchema } },
        problems: ['storage_unavailable', 'malformed', 'invalid_cursor'],
      },
      async handle({ request }: ReviewerCall) {
        const { page, next } = pageOf(await erasures().list(), request.query, ({ erasure_id }) => erasure_id);
        return pageResponse(request, { erasures: page, next });
      },
    },
    {
      ...OPERATE,
      method: 'POST',
      pattern: PATTERN,
      bodyLimit: LIMIT,
      doc: {
        id: 'countErasure',
        summary: 'Count what erasing a person would erase, in the background. Changes nothing',
        body: { schema: newErasureSchema, required: true },
        answers: { 202: { what: 'Counting; poll it until its state is `counted`', schema: erasureSchema } },
        problems: ['malformed', 'erasure_running', 'connector_missing', 'storage_unavailable'],
      },
      async handle({ request, identity }: ReviewerCall) {
        const { person } = readBody(request, newErasureSchema);
        return jsonResponse(202, await erasures().count(person, identity.reviewer));
      },
    },
    {
      ...OPERATE,
      method: 'GET',
      pattern: `${PATTERN}/:erasure_id`,
      doc: {
        id: 'getErasure',
        summary: 'Get an erasure and its progress',
        answers: { 200: { what: 'The erasure', schema: erasureSchema } },
        problems: ['not_found', 'storage_unavailable'],
      },
      handle: async ({ request }: ReviewerCall) =>
        jsonResponse(200, await erasures().get(request.params.erasure_id ?? '')),
    },
    {
      ...OPERATE,
      method: 'POST',
      pattern: `${PATTERN}/:erasure_id/erase`,
      bodyLimit: LIMIT,
      doc: {
        id: 'erasePerson',
        summary:
          'Erase what was counted, for good, in the background. Counts again first: if that finds something else, nothing is erased',
        body: { schema: confirmedErasureSchema, required: true },
        answers: {
          202: { what: 'Checking; poll it until its state is `done` or `changed`', schema: erasureSchema },
        },
        problems: [
          'malformed',
          'not_found',
          'erasure_running',
          'erasure_changed',
          'connector_missing',
          'storage_unavailable',
        ],
      },
      async handle({ request, identity }: ReviewerCall) {
        const { person, digest } = readBody(request, confirmedErasureSchema);
        const id = request.params.erasure_id ?? '';
        return jsonResponse(202, await erasures().erase(id, person, digest, identity.reviewer));
      },
    },
  ];
}
