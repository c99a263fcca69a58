import type { CrashException } from '../../domain/event.js';

interface Node {
  readonly exception: CrashException;
  readonly id: number;
  readonly parent: number | null;
  readonly group: boolean;
}

/**
 * The exceptions that identify what happened. If all members of an exception group are alike, one member; otherwise
 * the distinct members and the group. Without a group, or if ids and parents are not a tree: all, in order. Suppressed
 * exceptions do not count.
 */
export function groupingChain(
  exceptions: readonly CrashException[],
  likeness: (exception: CrashException) => string,
): readonly CrashException[] {
  const raised = exceptions.filter(({ mechanism }) => mechanism?.type !== 'suppressed');
  const nodes = treeOf(raised);
  const root = nodes?.find(({ parent }) => parent === null);
  if (nodes === null || root === undefined || !root.group) return raised;
  const seen = new Set<string>();
  const distinct = topLevel(nodes, root).filter(({ exception }) => {
    const key = likeness(exception);
    return seen.has(key) ? false : seen.add(key);
  });
  const members = distinct.map(({ exception }) => exception);
  return members.length === 1 ? members : [...members, root.exception];
}

function treeOf(exceptions: readonly CrashException[]): readonly Node[] | null {
  const nodes: Node[] = [];
  const ids = new Set<number>();
  for (const exception of exceptions) {
    const { exception_id: id, parent_id: parent, is_exception_group: group } = exception.mechanism ?? {};
    if (typeof id !== 'number' || ids.has(id)) return null;
    ids.add(id);
    nodes.push({ exception, id, parent: typeof parent === 'number' ? parent : null, group: group === true });
  }
  const sound = nodes.every(({ id, parent }) => parent === null || (parent < id && ids.has(parent)));
  return sound && nodes.filter(({ parent }) => parent === null).length === 1 ? nodes : null;
}

/** Members of the root and of nested groups, without the causes of members. */
function topLevel(nodes: readonly Node[], root: Node): readonly Node[] {
  const groups = new Set([root.id]);
  const found: Node[] = [];
  for (const node of [...nodes].sort((one, other) => one.id - other.id)) {
    if (node.parent === null || !groups.has(node.parent)) continue;
    if (node.group) groups.add(node.id);
    else found.push(node);
  }
  return found.reverse();
}
