import { signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';
const KEY = 'culprit.theme';
const ORDER: readonly Theme[] = ['auto', 'light', 'dark'];

export const theme = signal<Theme>(
  ORDER.find((name) => name === document.documentElement.dataset.theme) ?? 'auto',
);

export function nextTheme(): void {
  const next = ORDER[(ORDER.indexOf(theme.value) + 1) % ORDER.length] ?? 'auto';
  theme.value = next;
  if (next === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  storePreference(KEY, next);
}

/** Stores a preference, if the browser allows it. */
export function storePreference(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Storage is blocked: the choice lasts until the page is closed.
  }
}

export function storedPreference(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
