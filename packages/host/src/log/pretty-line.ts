import { forTerminal } from './terminal.js';

const HIDDEN: readonly string[] = ['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err', 'error'];

/** A JSON log line as a readable line; other lines are unchanged. */
export function prettyLine(line: string): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const time = String(entry.time ?? '').slice(11, 19);
  const level = entry.level === 'info' ? '' : `${String(entry.level)}: `;
  const fields = Object.entries(entry)
    .filter(([key]) => !HIDDEN.includes(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const problem = describe(entry.err ?? entry.error);
  const parts = [`${time} ${String(entry.name ?? '')}  ${level}${String(entry.msg ?? '')}`, ...fields];
  return forTerminal(`${parts.map((part) => part.replaceAll('\n', '·')).join('  ')}${problem}\n`);
}

function describe(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { message, stack } = error as { message?: unknown; stack?: unknown };
  return `\n  ${String(stack ?? message ?? '').replaceAll('\n', '\n  ')}`;
}
