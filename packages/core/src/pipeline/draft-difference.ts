import * as v from 'valibot';
import type { Draft } from '../domain/draft.js';
import { about, type Doc, named, text, texts } from '../domain/schema.js';
import { hunksOf, lineEdits } from './line-diff.js';

const listChangeSchema = v.object({ added: texts, removed: texts });
/** What was added to and removed from a list of a draft. */
export interface ListChange extends Doc<typeof listChangeSchema> {}

export const draftDifferenceSchema = named(
  'DraftDifference',
  'What a reviewer changed in the generated draft.',
  v.object({
    same: about(v.boolean(), 'The draft equals the generated one, byte for byte.'),
    machine: v.object({ digest: v.string(), title: v.string() }),
    current: v.object({ digest: v.string(), title: v.string(), edited_by: text }),
    labels: listChangeSchema,
    assignees: listChangeSchema,
    body: about(v.string(), 'The change of the body as a unified diff; empty if it is unchanged.'),
  }),
);
/** How a reviewer changed the generated draft. */
export interface DraftDifference extends Doc<typeof draftDifferenceSchema> {}

/** The difference between two drafts, with the change of the body as a unified diff. */
export function draftDifference(machine: Draft, current: Draft): DraftDifference {
  return {
    same: machine.digest === current.digest,
    machine: { digest: machine.digest, title: machine.title },
    current: { digest: current.digest, title: current.title, edited_by: current.edited_by },
    labels: listChange(machine.labels, current.labels),
    assignees: listChange(machine.assignees, current.assignees),
    body: unifiedDiff(machine.body, current.body),
  };
}

function listChange(before: readonly string[], after: readonly string[]): ListChange {
  return {
    added: after.filter((name) => !before.includes(name)),
    removed: before.filter((name) => !after.includes(name)),
  };
}

/** Lines of two texts as `diff -u` shows them, without file names; empty if they are equal. */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return '';
  return hunksOf(lineEdits(before.split('\n'), after.split('\n')))
    .flatMap(({ old_start, old_lines, new_start, new_lines, lines }) => [
      `@@ -${old_start},${old_lines} +${new_start},${new_lines} @@`,
      ...lines,
    ])
    .join('\n');
}
