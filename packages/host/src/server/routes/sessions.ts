import { CulpritError } from '@culprit/core';
import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import type { Identity } from '../authenticate.js';
import { listing } from '../operation.js';
import { permit } from '../permit.js';
import type { CoreRoute } from '../route.js';
import { shownAccess } from '../schema/session.js';
import { listedSessionSchema } from '../schema/sessions.js';
import { sessionCookie } from '../session-cookie.js';
import { personNamed, publicSessionId, type SessionRow } from '../sessions.js';
import type { SessionRouteParts } from './session.js';

/** Everybody's sessions are managed by operators of the whole installation. */
const EVERYBODY = { scope: 'operate', reach: 'installation' } as const;

/** Lists and ends sessions. */
export function sessionsRoutes({ sessions, ended, site }: SessionRouteParts): CoreRoute[] {
  return [
    listing({
      path: '/api/v1/sessions',
      scope: 'any',
      reach: 'none',
      id: 'listSessions',
      summary: 'List your sessions, or those of everybody',
      query: {
        everybody: {
          what: 'Everybody’s; needs the scope `operate` and no limit to projects',
          schema: { type: 'boolean', default: false },
        },
      },
      what: 'The sessions',
      name: 'sessions',
      entries: about(v.array(listedSessionSchema), 'Newest first.'),
      problems: ['forbidden'],
      async all({ request, engine, identity }) {
        const everybody = request.query.everybody === 'true';
        if (everybody) permit(EVERYBODY, identity.access);
        const rows = await sessions.list(engine.values, everybody ? null : personOf(identity));
        return rows.map((row) => shown(row, identity));
      },
      key: ({ session_id }) => session_id,
    }),
    {
      method: 'DELETE',
      pattern: '/api/v1/sessions/:session_id',
      access: 'reviewer',
      scope: 'any',
      reach: 'none',
      doc: {
        id: 'endSession',
        summary: 'End a session of yours, or with the scope `operate` of anybody, and its live feeds',
        answers: { 204: { what: 'The session has ended' } },
        problems: ['not_found'],
      },
      async handle({ request, engine, identity }) {
        const person = isOperator(identity) ? null : personOf(identity);
        const rows = await sessions.list(engine.values, person);
        const row = rows.find(({ session }) => publicSessionId(session) === request.params.session_id);
        if (row === undefined) throw new CulpritError('not_found', 'There is no such session.');
        const { key } = row.session;
        await sessions.close(engine.values, key);
        await ended(key);
        const own = key === identity.session?.key;
        return { status: 204, ...(own ? { headers: { 'set-cookie': sessionCookie(null, site()) } } : {}) };
      },
    },
  ];
}

function isOperator({ access }: Identity): boolean {
  try {
    permit(EVERYBODY, access);
    return true;
  } catch {
    return false;
  }
}

/** An API token has no sessions, and its maker's are none of its business. */
function personOf({ session, token, reviewer }: Identity): string {
  if (token !== null) return '';
  return session?.person ?? personNamed(reviewer.name);
}

function shown(
  { entry, session, seenAt, client }: SessionRow,
  identity: Identity,
): v.InferOutput<typeof listedSessionSchema> {
  return {
    session_id: publicSessionId(session),
    name: session.name,
    current: session.key === identity.session?.key,
    signed_in_with: session.vouched ? 'provider' : 'token',
    ...shownAccess(session.access),
    program: client.program,
    network: client.network,
    opened_at: new Date(entry.opened_at).toISOString(),
    seen_at: new Date(seenAt).toISOString(),
    expires_at: new Date(session.expiresAt).toISOString(),
  };
}
