let wanted: string | null = null;

/** Moves the focus to the title of this run once its page has loaded. */
export function focusWhenShown(runId: string): void {
  wanted = runId;
}

/** Called when a run's page is on the screen. */
export function focusTitle(runId: string): void {
  if (wanted !== runId) return;
  wanted = null;
  document.getElementById('run-title')?.focus({ preventScroll: true });
}
