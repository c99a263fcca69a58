import { CulpritError, type ErrorCode } from '@culprit/core';
import { problem } from '@culprit/core/internal/errors/error';
import type { GenericSchema } from 'valibot';
import type { HttpResponse } from '../../http/message.js';
import { jsonResponse, retryAfterSeconds } from '../../http/problem-response.js';
import type { ReviewerCall, ReviewerRoute } from '../route.js';

export interface SentryRoute {
  readonly method: ReviewerRoute['method'];
  /** Below `/api/0`. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly answers: ReviewerRoute['doc']['answers'];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: { readonly schema: GenericSchema; readonly limit: number };
  readonly problems?: readonly ErrorCode[];
  readonly handle: (call: ReviewerCall) => HttpResponse | Promise<HttpResponse>;
}

/**
 * A route as Sentry has it, so that `sentry-cli` and the bundler plugins work with core. It needs the scope `release`. Errors have
 * the form that these programs print. The organisation in a path is a slug of any name: an installation is one organisation.
 */
export function sentryRoute(route: SentryRoute): ReviewerRoute {
  const { method, path, id, summary, answers, query, body, problems = [], handle } = route;
  return {
    method,
    pattern: `/api/0${path}`,
    access: 'reviewer',
    scope: 'release',
    reach: 'projects',
    ...(body === undefined ? {} : { bodyLimit: body.limit }),
    refusal: sentryRefusal,
    doc: {
      id,
      summary,
      answers,
      ...(query === undefined ? {} : { query }),
      ...(body === undefined ? {} : { body: { schema: body.schema, required: true } }),
      problems: ['not_found', 'forbidden', 'storage_unavailable', ...problems],
    },
    handle(call) {
      checkOrganisation(call);
      return handle(call);
    },
  };
}

function checkOrganisation({ request: { params } }: ReviewerCall): void {
  const { organisation } = params;
  if (organisation === undefined || /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/.test(organisation)) return;
  throw new CulpritError('not_found', 'The organisation must be a slug, such as "culprit".');
}

/** The projects in which the credential has the route's scope. A project's slug is its name in the configuration. */
export function projectsOf({ engine }: ReviewerCall): readonly string[] {
  return engine.releases.projects().map(({ name }) => name);
}

/** The project that the path names. @throws `not_found` if there is none, or the credential may not see it; `forbidden` if it may only see it */
export function projectOf(call: ReviewerCall, name = call.request.params.project ?? ''): string {
  const projects = projectsOf(call);
  if (projects.includes(name)) return name;
  const refusal = call.within.refusal(name);
  if (refusal !== null) throw refusal;
  const known = projects.slice(0, 20).join(', ') || 'none that this credential may see';
  const detail = `There is no project ${JSON.stringify(name.slice(0, 100))}. The projects are: ${known}.`;
  throw new CulpritError('not_found', detail);
}

/** Paths that `sentry-cli` and the bundler plugins ask for. */
export const SENTRY_PREFIX = '/api/0/';

/** `sentry-cli` prints `detail` only if nothing stands beside it. */
export function sentryRefusal(error: unknown): HttpResponse {
  const { status, detail, title } = problem(error);
  const wait = retryAfterSeconds(error);
  return jsonResponse(
    status,
    { detail: detail || title },
    {
      'cache-control': 'no-store',
      ...(wait === null ? {} : { 'retry-after': String(wait) }),
    },
  );
}
