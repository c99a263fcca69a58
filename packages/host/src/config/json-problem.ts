/** Blank space, and every token of JSON, from where the last one ended. */
const TOKEN =
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])))/y;
const BLANK = /[ \t\r\n]*/y;

/**
 * Where a text stops being JSON, from 1 as editors count; `null` if it is JSON. The message of Node's parser differs between
 * versions, has no position for some texts, and quotes the text, which may contain secrets.
 */
export function jsonProblem(text: string): { readonly line: number; readonly column: number } | null {
  const end = endOfJson(text);
  if (end === null) return null;
  const before = text.slice(0, end).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

type Wanted = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or end';

function endOfJson(text: string): number | null {
  const open: string[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  for (;;) {
    BLANK.lastIndex = at;
    BLANK.exec(text);
    const start = BLANK.lastIndex;
    if (wanted === ', or end' && open.length === 0) return start === text.length ? null : start;
    TOKEN.lastIndex = at;
    const [, mark, quoted, literal] = TOKEN.exec(text) ?? [];
    const next = step(open, wanted, mark ?? (quoted === undefined ? literal && 'literal' : 'text'));
    if (next === null) return start;
    wanted = next;
    at = TOKEN.lastIndex;
  }
}

/** What must follow the token; `null`: it may not stand here. `open`: the brackets that are open. */
function step(open: string[], wanted: Wanted, token: string | undefined): Wanted | null {
  const isValue = wanted === 'value' || wanted === 'value or ]';
  if (token === 'text' && wanted.startsWith('name')) return ':';
  if ((token === 'text' || token === 'literal') && isValue) return ', or end';
  if ((token === '{' || token === '[') && isValue) {
    open.push(token);
    return token === '{' ? 'name or }' : 'value or ]';
  }
  if (token === ':' && wanted === ':') return 'value';
  if (token === ',' && wanted === ', or end') return open.at(-1) === '{' ? 'name' : 'value';
  const opening = token === '}' ? '{' : token === ']' ? '[' : null;
  if (opening === null || open.at(-1) !== opening) return null;
  if (wanted !== ', or end' && wanted !== (opening === '{' ? 'name or }' : 'value or ]')) return null;
  open.pop();
  return ', or end';
}
