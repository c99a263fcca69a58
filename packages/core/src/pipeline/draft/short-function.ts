const LONG = 60;

/** A function name; long native names lose their parameters and template arguments. */
export function shortFunction(name: string): string {
  if (name.length <= LONG) return name;
  const open = name.indexOf('(', name.startsWith('(') ? 1 : 0);
  const bare = open > 0 && !name.slice(0, open).endsWith('operator') ? `${name.slice(0, open)}(…)` : name;
  return bare.length <= LONG ? bare : bare.replace(/<[^<>()]{8,}>/g, '<…>');
}
