// Before the first paint, so that a chosen theme does not flash.
try {
  const chosen = localStorage.getItem('culprit.theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // Storage is blocked: the system's theme is used.
}
