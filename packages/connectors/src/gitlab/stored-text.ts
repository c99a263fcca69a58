/**
 * A line that GitLab may take for a quick action and execute, such as `/close` or `/assign @ada`: it would act in the name of the
 * token's user, and remove the line. A space in front prevents both, and Markdown does not show it.
 */
const COMMAND = /^( *)(?=\/[A-Za-z_]+(?:[ \t]|$))/gm;
const SPACED_COMMAND = /^ ( *)(?=\/[A-Za-z_]+(?:[ \t]|$))/gm;

/** The text as it is sent. `fromStored` returns the signed text, except for carriage returns, which GitLab deletes. */
export function toStored(text: string): string {
  return text.replaceAll('\r', '').trimEnd().replace(COMMAND, ' $1');
}

/** GitLab deletes the space after the text, so the line break that ends a trailer is put back. */
export function fromStored(text: string): string {
  const body = text.replace(SPACED_COMMAND, '$1');
  return body.endsWith(' -->') ? `${body}\n` : body;
}
