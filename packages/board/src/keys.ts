import { signal } from '@preact/signals';
import { isSettled } from './state/run.js';
import { storedPreference, storePreference } from './state/theme.js';

const KEY = 'culprit.keys';

export interface Shortcut {
  /** Values of `KeyboardEvent.key`, in sequence: `['g', 'i']`. A letter with Shift is `Shift+A`. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly group: 'Go' | 'List' | 'Run' | 'Page';
  /** It decides on the run, or opens the dialog that does. */
  readonly decides?: boolean;
  /** Returns false if the shortcut does not apply here, so that the browser handles the key. */
  readonly act: () => boolean;
}

/** Single-character shortcuts can be turned off, for users of speech input (WCAG 2.1.4). */
export const enabled = signal(storedPreference(KEY) !== 'off');
export const sheetOpen = signal(false);

export function setEnabled(on: boolean): void {
  enabled.value = on;
  storePreference(KEY, on ? 'on' : 'off');
}

/** The time allowed between the two keys of a sequence. */
const SECOND_KEY_MS = 1_200;

/** Handles shortcuts, except in form fields and open dialogs. Returns a function that stops it. */
export function listenToKeys(shortcuts: readonly Shortcut[]): () => void {
  let first = '';
  let timer = 0;
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const key = nameOf(event);
    if (isField(event.target)) {
      if (key === 'Escape') (event.target as HTMLElement).blur();
      return;
    }
    if (!enabled.value && event.key.length === 1 && key !== '?') return;
    const pressed = first === '' ? [key] : [first, key];
    first = '';
    window.clearTimeout(timer);
    const match = shortcuts.find(({ keys }) => sameKeys(keys, pressed));
    if ((match?.decides && !isSettled()) || match?.act()) {
      event.preventDefault();
    } else if (shortcuts.some(({ keys }) => keys.length > 1 && sameKey(keys[0], key))) {
      first = key;
      timer = window.setTimeout(() => {
        first = '';
      }, SECOND_KEY_MS);
    }
  };
  window.addEventListener('keydown', press);
  return () => window.removeEventListener('keydown', press);
}

/** Caps Lock alone does not make a letter a different shortcut. */
function nameOf({ key, shiftKey }: KeyboardEvent): string {
  return shiftKey && /^[a-z]$/i.test(key) ? `Shift+${key}` : key;
}

function sameKeys(keys: readonly string[], pressed: readonly string[]): boolean {
  return keys.length === pressed.length && keys.every((key, index) => sameKey(key, pressed[index]));
}
function sameKey(key: string | undefined, pressed: string | undefined): boolean {
  return key?.toLowerCase() === pressed?.toLowerCase();
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches('input:not([type="checkbox"]), textarea, select, [contenteditable]')
  );
}
