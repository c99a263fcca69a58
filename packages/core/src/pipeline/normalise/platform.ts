import type { Frame } from '../../domain/event.js';

const BY_EXTENSION: Readonly<Record<string, string>> = {
  py: 'python',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  ts: 'javascript',
  mts: 'javascript',
  cts: 'javascript',
  tsx: 'javascript',
  vue: 'javascript',
  svelte: 'javascript',
  java: 'java',
  kt: 'java',
  scala: 'java',
  go: 'go',
  rb: 'ruby',
  php: 'php',
  cs: 'csharp',
  rs: 'native',
  c: 'native',
  cc: 'native',
  cpp: 'native',
  cxx: 'native',
  h: 'native',
  hpp: 'native',
  swift: 'cocoa',
  m: 'cocoa',
};
/** Senders' names for platforms that are named differently here. */
const ALIASES: Readonly<Record<string, string>> = {
  nodejs: 'node',
  'node.js': 'node',
  js: 'javascript',
  browser: 'javascript',
  typescript: 'javascript',
  'c#': 'csharp',
  dotnet: 'csharp',
  '.net': 'csharp',
  golang: 'go',
  py: 'python',
  kotlin: 'java',
  jvm: 'java',
};

/** The sender's platform, lower case; `null` if missing or `other`. */
export function knownPlatform(reported: string | null): string | null {
  const name = reported?.trim().toLowerCase().slice(0, 64) ?? '';
  if (name === '' || name === 'other') return null;
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
}

/** The platform that a stack's files indicate, newest frame first; `null` if none does. */
export function platformOfFrames(frames: readonly Pick<Frame, 'file'>[]): string | null {
  for (const { file } of frames.slice(-50).reverse()) {
    const extension = /\.([a-z]{1,6})(?:[?#].*)?$/i.exec((file ?? '').slice(-200))?.[1]?.toLowerCase() ?? '';
    const platform = Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
    if (platform === 'javascript') return /^(?:https?|blob):/.test(file ?? '') ? 'javascript' : 'node';
    if (platform !== undefined) return platform;
  }
  return null;
}
