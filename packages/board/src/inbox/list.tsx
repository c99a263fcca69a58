import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { whole } from '../format.js';
import { ManyBar } from '../many/many-bar.js';
import { Pick } from '../many/pick.js';
import { picking, selectable, startPicking } from '../many/selection.js';
import { ICONS, Icon } from '../parts/icons.js';
import { Missing } from '../parts/resource.js';
import { Text } from '../parts/text.js';
import { wantActivity } from '../state/activity.js';
import { complete, openRuns } from '../state/feed.js';
import { route } from '../state/route.js';
import { troubleLines } from '../state/trouble.js';
import { Filters } from './filters.js';
import { failed, filter, items, loading, projects, readMore, reload } from './inbox-state.js';
import { Row } from './row.js';
import { moveByArrow } from './row-focus.js';
import { type Item, isClosed } from './select.js';

const ROW = 80;
const HEAD = 38;
/** Rows rendered outside the viewport, so that scrolling shows no gaps. */
const MARGIN = 6;

/** The inbox. Renders only visible rows, so five thousand scroll like fifty. */
export function RunList() {
  return (
    <nav class="list" aria-label="Runs">
      <Filters />
      <TroubleLine />
      <Rows />
      <ManyBar />
    </nav>
  );
}

function Rows() {
  const box = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, height: 800 });
  const all = items.value;
  const tops = useMemo(() => topsOf(all), [all]);
  const total = tops[all.length] ?? 0;
  const current = route.value.page === 'run' ? route.value.id : null;
  useStaying(box, all, tops);
  useScrolling(box, view);
  const at = current === null ? -1 : all.findIndex(({ key }) => key === current);
  // Also when the runs arrive after the page: a deep link scrolls to its row.
  useEffect(() => {
    if (at !== -1) reveal(box.current, tops[at] ?? 0);
  }, [current, at !== -1]);

  const { top, height } = view.value;
  const first = Math.max(0, findRow(tops, top) - MARGIN);
  const last = Math.min(all.length, findRow(tops, top + height) + MARGIN);
  const focused = document.activeElement?.getAttribute('data-run');
  const shown = all.slice(first, last).map((item, at) => ({ item, index: first + at }));
  const focusedAt =
    focused === null || focused === undefined ? -1 : all.findIndex(({ key }) => key === focused);
  const focusedItem = all[focusedAt];
  // Scrolled away, but it stays; in the order of the list, because a row that moves loses the focus.
  if (focusedItem !== undefined && focusedAt < first) shown.unshift({ item: focusedItem, index: focusedAt });
  if (focusedItem !== undefined && focusedAt >= last) shown.push({ item: focusedItem, index: focusedAt });
  useEffect(() => {
    wantActivity(shown.flatMap(({ item }) => (item.kind === 'run' ? [item.key] : [])));
    if (last >= all.length) readMore();
  });
  if (all.length === 0) return <Nothing />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the rows are links; this handles their arrow keys
    <div class="rows" ref={box} tabIndex={-1} data-picking={picking.value} onKeyDown={moveByArrow}>
      <ol style={{ height: `${total}px` }}>
        {shown.map(({ item, index }) => (
          <li
            key={item.key}
            style={{ transform: `translateY(${tops[index]}px)`, height: `${heightOf(item)}px` }}
            aria-setsize={all.length}
            aria-posinset={index + 1}
            class={item.kind === 'group' ? 'group' : undefined}
          >
            {item.kind === 'group' ? (
              <>
                {item.title} <span class="num">{whole(item.count)}</span>
                {selectable.value && !picking.value && (
                  <button type="button" class="start-picking" onClick={startPicking}>
                    Select
                  </button>
                )}
              </>
            ) : (
              <>
                {picking.value && <Pick run={item.run} />}
                <Row
                  run={item.run}
                  selected={item.key === current}
                  manyProjects={projects.value.length > 1}
                />
              </>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

function Nothing() {
  if (failed.value && !loading.value) return <Missing failed read={() => reload(0)} />;
  const none = openRuns.value.size === 0 && !isClosed(filter.value.view);
  const words = none ? 'No open runs.' : 'No matching runs.';
  return (
    <p class="none" role="status">
      {loading.value || !complete.value ? 'Loading…' : `${words} New runs appear automatically.`}
    </p>
  );
}

function heightOf(item: Item): number {
  return item.kind === 'group' ? HEAD : ROW;
}

/** The offset of each row, then the total height. */
function topsOf(all: readonly Item[]): readonly number[] {
  const tops = [0];
  for (const item of all) tops.push((tops.at(-1) ?? 0) + heightOf(item));
  return tops;
}

/** The last row that starts at or above an offset. */
function findRow(tops: readonly number[], place: number): number {
  let low = 0;
  let high = tops.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Keeps the visible rows in place when rows are inserted above them, unless the idle list is at its top. */
function useStaying(
  box: { readonly current: HTMLDivElement | null },
  all: readonly Item[],
  tops: readonly number[],
): void {
  const before = useRef<{ all: readonly Item[]; tops: readonly number[] }>({ all, tops });
  useLayoutEffect(() => {
    const { all: old, tops: oldTops } = before.current;
    before.current = { all, tops };
    const element = box.current;
    if (element === null || old === all || old.length === 0) return;
    const reading = element.matches(':hover') || element.contains(document.activeElement);
    if (element.scrollTop === 0 && !reading) return;
    const at = Math.max(1, findRow(oldTops, element.scrollTop));
    const anchor = old.slice(at).find(({ kind }) => kind === 'run');
    if (anchor === undefined) return;
    const now = all.findIndex(({ key }) => key === anchor.key);
    if (now === -1) return;
    const moved = (tops[now] ?? 0) - (oldTops[old.indexOf(anchor)] ?? 0);
    if (moved !== 0) element.scrollTop += moved;
  });
}

function useScrolling(
  box: { readonly current: HTMLDivElement | null },
  view: { value: { readonly top: number; readonly height: number } },
): void {
  const empty = items.value.length === 0;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = () => {
      const { scrollTop, clientHeight } = element;
      const { top, height } = view.value;
      if (Math.abs(scrollTop - top) >= ROW || height !== clientHeight || scrollTop === 0) {
        view.value = { top: scrollTop, height: clientHeight };
      }
    };
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      watcher.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [empty]);
}

function reveal(element: HTMLDivElement | null, top: number): void {
  if (element === null) return;
  if (top < element.scrollTop + HEAD) element.scrollTop = top - HEAD;
  else if (top + ROW > element.scrollTop + element.clientHeight) {
    element.scrollTop = top + ROW - element.clientHeight;
  }
}

/** What an operator must see, above the runs. */
function TroubleLine() {
  const lines = troubleLines.value;
  if (lines.length === 0) return null;
  return (
    <a class="trouble" href="#/edges">
      <Icon path={ICONS.issue} size={13} />
      <span>
        <Text of={lines[0] ?? ''} />
        {lines.length > 1 && <b> and {lines.length - 1} more</b>}
      </span>
    </a>
  );
}
