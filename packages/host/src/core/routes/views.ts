import { createHash } from 'node:crypto';
import { CulpritError, type Values } from '@culprit/core';
import * as v from 'valibot';
import { jsonResponse } from '../../http/problem-response.js';
import { type Access, projectsWith } from '../access.js';
import { OPTIONAL_PAGE_PARAMETERS, pageOf, pageResponse } from '../paging.js';
import { readBody } from '../read-body.js';
import type { CoreRoute, ReviewerCall } from '../route.js';

const MOST = 50;
const viewSchema = v.strictObject({
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(60)),
  address: v.pipe(
    v.string(),
    v.regex(/^(\?[^#\s]*)?$/, 'must be empty or start with "?"'),
    v.maxLength(1_000),
    v.description('The query string of the board’s address, such as `?state=gate2&search=level%3Afatal`.'),
  ),
});
type SavedView = v.InferOutput<typeof viewSchema>;
const viewsSchema = v.object({ views: v.array(viewSchema) });
const pageSchema = v.object({ ...viewsSchema.entries, next: v.nullable(v.string()) });
const answers = { 200: { what: 'The views of this reviewer, by name', schema: viewsSchema } };

/** The views that a reviewer has saved. */
export function viewRoutes(): CoreRoute[] {
  const change = async (
    call: ReviewerCall,
    decide: (views: readonly SavedView[]) => readonly SavedView[],
  ) => {
    const key = keyOf(call);
    const decided = (before: string | undefined) => {
      const next = [...decide(viewsOf(before))].sort((a, b) => (a.name < b.name ? -1 : 1));
      return JSON.stringify(next.map(toStored));
    };
    const text = await call.engine.values.change(key, decided, keptMs(call));
    return jsonResponse(200, { views: viewsOf(text) });
  };
  return [
    {
      method: 'GET',
      pattern: '/api/v1/views',
      access: 'reviewer',
      scope: 'read',
      reach: 'none',
      doc: {
        id: 'listViews',
        summary: 'List your saved views of the inbox',
        query: OPTIONAL_PAGE_PARAMETERS,
        answers: { 200: { what: 'The views of this reviewer, by name', schema: pageSchema } },
        problems: ['storage_unavailable', 'malformed', 'invalid_cursor'],
      },
      async handle(call) {
        const all = viewsOf(await call.engine.values.get(keyOf(call)));
        const { page, next } = pageOf(all, call.request.query, ({ name }) => name);
        return pageResponse(call.request, { views: page, next });
      },
    },
    {
      method: 'PUT',
      pattern: '/api/v1/views',
      access: 'reviewer',
      scope: 'comment',
      reach: 'none',
      bodyLimit: 8 * 1024,
      doc: {
        id: 'saveView',
        summary: `Save a view, or replace the one with this name; at most ${MOST}`,
        body: { schema: viewSchema, required: true },
        answers,
        problems: ['malformed', 'storage_unavailable'],
      },
      async handle(call) {
        const view = readBody(call.request, viewSchema);
        return change(call, (views) => {
          const others = views.filter(({ name }) => name !== view.name);
          if (others.length >= MOST)
            throw new CulpritError('malformed', `You have ${MOST} views. Delete one first.`, {
              path: 'name',
            });
          return [...others, view];
        });
      },
    },
    {
      method: 'DELETE',
      pattern: '/api/v1/views',
      access: 'reviewer',
      scope: 'comment',
      reach: 'none',
      doc: {
        id: 'deleteView',
        summary: 'Delete a saved view',
        query: {
          name: {
            what: 'The name of the view; an unknown one changes nothing',
            schema: { type: 'string' },
            required: true,
          },
        },
        answers,
        problems: ['storage_unavailable'],
      },
      async handle(call) {
        return change(call, (views) => views.filter(({ name }) => name !== call.request.query.name));
      },
    },
  ];
}

/**
 * Without the reviewer's name, so that erasing a person leaves none here. An API token that is limited to projects has its own
 * views: those of its maker can name other projects.
 */
function keyOf({ identity: { reviewer, token, access } }: Pick<ReviewerCall, 'identity'>): string {
  const owner = token !== null && isLimited(access) ? `token ${token.id}` : reviewer.name;
  const digest = createHash('sha256').update(owner).digest('base64url').slice(0, 32);
  return `${VIEWS_PREFIX}${digest}`;
}

/** Views of an API token end a year after their last change: nobody could delete them once it is revoked. */
function keptMs({ identity: { token, access } }: Pick<ReviewerCall, 'identity'>): number | undefined {
  return token !== null && isLimited(access) ? TOKEN_VIEWS_KEPT_MS : undefined;
}

function isLimited(access: Access): boolean {
  return projectsWith(access, 'any') !== null;
}

const TOKEN_VIEWS_KEPT_MS = 365 * 24 * 60 * 60_000;
const VIEWS_PREFIX = 'views:';

/** As plain texts, not as an address, in which an erasure could not find a person. */
const storedSchema = v.array(
  v.object({ name: v.string(), query: v.array(v.tuple([v.string(), v.string()])) }),
);
type StoredView = v.InferOutput<typeof storedSchema>[number];

function toStored({ name, address }: SavedView): StoredView {
  return { name, query: [...new URLSearchParams(address)] };
}

function viewsOf(text: Awaited<ReturnType<Values['get']>>): readonly SavedView[] {
  const read = v.safeParse(storedSchema, text === undefined ? [] : JSON.parse(text));
  if (!read.success) return [];
  return read.output.map(({ name, query }) => {
    const address = new URLSearchParams(query).toString();
    return { name, address: address === '' ? '' : `?${address}` };
  });
}
