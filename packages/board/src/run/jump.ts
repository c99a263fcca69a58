/** Moves the focus to a section of the run's page. Returns false if the page does not have it. */
export function jump(section: string): boolean {
  const element = document.getElementById(section);
  if (element === null) return false;
  element.scrollIntoView({ block: 'start' });
  element.focus({ preventScroll: true });
  return true;
}
