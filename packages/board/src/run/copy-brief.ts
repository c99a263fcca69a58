/** Id of the button. */
export const COPY_BRIEF = 'copy-brief';

/** Presses the button, which then says that the brief is copied. */
export function copyBrief(): boolean {
  const button = document.getElementById(COPY_BRIEF);
  button?.click();
  return button !== null;
}
