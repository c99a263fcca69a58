import type { CrashException } from '@culprit/core/internal/domain/event';

/** How an exception belongs to its chain, which is ordered from the root cause to the crash; `null` if it is alone. */
export function roleOf(exceptions: readonly CrashException[], index: number): string | null {
  const exception = exceptions[index];
  if (exception === undefined || exceptions.length < 2) return null;
  const { parent_id: parentId, type } = exception.mechanism ?? {};
  const parent = exceptions.find(
    ({ mechanism }) => typeof parentId === 'number' && mechanism?.exception_id === parentId,
  );
  if (parent !== undefined && isGroup(parent)) {
    const members = exceptions.filter(({ mechanism }) => mechanism?.parent_id === parentId);
    return `member ${members.indexOf(exception) + 1} of ${members.length} of ${parent.type ?? 'the group'}`;
  }
  if (type === 'suppressed') return 'suppressed';
  if (isGroup(exception)) return 'group';
  if (index === 0) return 'root cause';
  const handled = exceptions[index - 1]?.mechanism?.source === '__context__';
  return handled ? 'raised while the one above was handled' : 'raised because of the one above';
}

function isGroup({ mechanism, type }: CrashException): boolean {
  return (
    mechanism?.is_exception_group === true || /Exception ?Group|AggregateE(?:rror|xception)/.test(type ?? '')
  );
}
