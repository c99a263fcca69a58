/** The texts of Slack's blocks, in their order. */
export function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value !== 'object' || value === null) return [];
  const { type, text } = value as { type?: unknown; text?: unknown };
  if ((type === 'mrkdwn' || type === 'plain_text') && typeof text === 'string') return [text];
  return Object.values(value).flatMap(textsOf);
}
