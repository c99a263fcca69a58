import { createHash } from 'node:crypto';
import { CulpritError } from '@culprit/core';
import { projectsWith } from '@culprit/core/internal/domain/access';
import { about } from '@culprit/core/internal/domain/schema';
import { type StoredList, storedList } from '@culprit/core/internal/runs/stored';
import * as v from 'valibot';
import { listing, operation } from '../operation.js';
import type { CoreRoute, ReviewerCall } from '../route.js';

const MAX = 50;
const viewSchema = v.strictObject({
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(60)),
  address: about(
    v.pipe(v.string(), v.regex(/^(\?[^#\s]*)?$/, 'must be empty or start with "?"'), v.maxLength(1_000)),
    'The query string of the board’s address, such as `?state=gate2&search=level%3Afatal`.',
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
      all: async (call) => (await storedOf(call).get()).map(viewOf),
      key: ({ name }) => name,
    }),
    operation({
      ...CHANGED,
      at: 'PUT /api/v1/views',
      id: 'saveView',
      summary: `Save a view, or replace the one with this name; at most ${MAX}`,
      body: viewSchema,
      bodyLimit: 8 * 1024,
      run: (call) =>
        change(call, (views) => {
          const others = views.filter(({ name }) => name !== call.body.name);
          if (others.length >= MAX)
            throw new CulpritError('malformed', `You have ${MAX} views. Delete one first.`, {
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
  const kept = await storedOf(call).change((before) => {
    const next = [...decide(before.map(viewOf))].sort((a, b) => (a.name < b.name ? -1 : 1));
    return next.map(toStored);
  });
  return { views: kept.map(viewOf) };
}

/**
 * Without the reviewer's name, so that erasing a person leaves none here. An API token that is limited to projects has its own
 * views: those of its maker can name other projects.
 */
function storedOf({ identity, engine }: Pick<ReviewerCall, 'identity' | 'engine'>): StoredList<StoredView> {
  const { reviewer, token, access } = identity;
  const limited = token !== null && projectsWith(access, 'any') !== null;
  const owner = limited ? `token ${token.id}` : reviewer.name;
  const digest = createHash('sha256').update(owner).digest('base64url').slice(0, 32);
  const ttlMs = limited ? TOKEN_VIEWS_KEPT_MS : undefined;
  return storedList(engine.values, `views:${digest}`, { schema: storedSchema, newest: 'last', ttlMs });
}

/** Views of an API token end a year after their last change: nobody could delete them once it is revoked. */
const TOKEN_VIEWS_KEPT_MS = 365 * 24 * 60 * 60_000;

/** As plain texts, not as an address, in which an erasure could not find a person. */
const storedSchema = v.object({ name: v.string(), query: v.array(v.tuple([v.string(), v.string()])) });
type StoredView = v.InferOutput<typeof storedSchema>;

function toStored({ name, address }: SavedView): StoredView {
  return { name, query: [...new URLSearchParams(address)] };
}

function viewOf({ name, query }: StoredView): SavedView {
  const address = new URLSearchParams(query).toString();
  return { name, address: address === '' ? '' : `?${address}` };
}
