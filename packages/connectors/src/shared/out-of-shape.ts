/** Far above core's own limits, which name the exact place. Text beyond these limits is not worth parsing. */
const MAX_MEMBERS = 20_000;
const MAX_LEVELS = 1_000;
const BACKSLASH = 92;

/**
 * The limit that the JSON text far exceeds: nesting depth, or members of one container. Checked before parsing, because
 * objects with very many members, especially numeric names, cost a hundred times their text's size. Invalid JSON may get
 * either answer.
 */
export function outOfShape(text: string): 'json_depth' | 'json_width' | null {
  // Each further member takes at least two characters.
  if (text.length < MAX_MEMBERS * 2) return null;
  const commas: number[] = [0];
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 34:
        at = endOfString(text, at);
        break;
      case 91:
      case 123:
        if (commas.push(0) > MAX_LEVELS) return 'json_depth';
        break;
      case 93:
      case 125:
        if (commas.length > 1) commas.pop();
        break;
      case 44: {
        const top = commas.length - 1;
        const count = (commas[top] ?? 0) + 1;
        if (count >= MAX_MEMBERS) return 'json_width';
        commas[top] = count;
      }
    }
  }
  return null;
}

/** The closing quote: the first one preceded by an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
