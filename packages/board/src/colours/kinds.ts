/** The colours of code, as classes. */
export type Kind = 'comment' | 'string' | 'keyword' | 'number' | 'function' | 'type';

const BY_ENDING: Readonly<Record<string, string>> = {
  js: 'jsx',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'jsx',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  vue: 'typescript',
  svelte: 'typescript',
  py: 'python',
  pyx: 'python',
  java: 'java',
  kt: 'kotlin',
  kts: 'kotlin',
  scala: 'scala',
  cs: 'csharp',
  go: 'go',
  rb: 'ruby',
  php: 'php',
  rs: 'rust',
  swift: 'swift',
  c: 'c',
  h: 'cpp',
  cc: 'cpp',
  cpp: 'cpp',
  hpp: 'cpp',
  m: 'c',
  dart: 'dart',
  ex: 'elixir',
  exs: 'elixir',
};

/** The grammar for a file; `null` for an unknown kind of file. */
export function languageOf(file: string | null): string | null {
  const ending = /\.([a-z]{1,6})(?:[?#].*)?$/i.exec(file ?? '')?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(BY_ENDING, ending) ? (BY_ENDING[ending] ?? null) : null;
}
