import { order } from './inbox-state.js';

/** Moves the focus to a row by its place in the list. Returns false if it does not exist. */
export function focusRow(place: number): boolean {
  const id = order.value[place];
  const row = id === undefined ? null : document.querySelector<HTMLElement>(`[data-run="${id}"]`);
  row?.focus();
  return row !== null;
}

/** The arrow keys move between rows; from the first one, up leads to the search field. */
export function moveByArrow(event: KeyboardEvent): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const id = (event.target as HTMLElement).getAttribute('data-run');
  if (by === undefined || id === null) return;
  const place = order.value.indexOf(id) + by;
  if (place < 0) document.getElementById('search')?.focus();
  else focusRow(place);
  event.preventDefault();
}
