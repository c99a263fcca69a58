import { createHash } from 'node:crypto';
import { CulpritError, type Values } from '@culprit/core';
import * as v from 'valibot';
import { type Access, projectsWith } from '../access.js';
import { listing, operation } from '../operation.js';
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
const CHANGED = {
  scope: 'comment',
  reach: 'none',
  what: 'The views of this reviewer, by name',
  schema: v.object({ views: v.array(viewSchema) }),
} as const;

/** The views that a reviewer has saved. */
export function viewRoutes(): CoreRoute[] {
  return [
    listing({
      path: '/api/v1/views',
      scope: 'read',
      reach: 'none',
      id: 'listViews',
      summary: 'List your saved views of the inbox',
      what: 'The views of this reviewer, by name',
      name: 'views',
      entries: v.array(viewSchema),
      all: async (call) => viewsOf(await call.engine.values.get(keyOf(call))),
      key: ({ name }) => name,
    }),
    operation({
      ...CHANGED,
      at: 'PUT /api/v1/views',
      id: 'saveView',
      summary: `Save a view, or replace the one with this name; at most ${MOST}`,
      body: viewSchema,
      bodyLimit: 8 * 1024,
      run: (call) =>
        change(call, (views) => {
          const others = views.filter(({ name }) => name !== call.body.name);
          if (others.length >= MOST)
            throw new CulpritError('malformed', `You have ${MOST} views. Delete one first.`, {
              path: 'name',
            });
          return [...others, call.body];
        }),
    }),
    operation({
      ...CHANGED,
      at: 'DELETE /api/v1/views',
      id: 'deleteView',
      summary: 'Delete a saved view',
      query: {
        name: {
          what: 'The name of the view; an unknown one changes nothing',
          schema: { type: 'string' },
          required: true,
        },
      },
      run: (call) => change(call, (views) => views.filter(({ name }) => name !== call.request.query.name)),
    }),
  ];
}

async function change(
  call: ReviewerCall,
  decide: (views: readonly SavedView[]) => readonly SavedView[],
): Promise<{ readonly views: readonly SavedView[] }> {
  const decided = (before: string | undefined) => {
    const next = [...decide(viewsOf(before))].sort((a, b) => (a.name < b.name ? -1 : 1));
    return JSON.stringify(next.map(toStored));
  };
  return { views: viewsOf(await call.engine.values.change(keyOf(call), decided, keptMs(call))) };
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
