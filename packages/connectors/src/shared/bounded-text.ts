/** The first bytes of a response as text. `more`: the rest was not read. */
export async function boundedText(
  { body }: Response,
  most: number,
): Promise<{ readonly text: string; readonly more: boolean }> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let left = most;
  for await (const chunk of body ?? []) {
    parts.push(decoder.decode(chunk.subarray(0, left), { stream: true }));
    left -= chunk.byteLength;
    if (left < 0) return { text: parts.join(''), more: true };
  }
  parts.push(decoder.decode());
  return { text: parts.join(''), more: false };
}
