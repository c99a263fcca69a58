/** Platforms whose frames follow the same rules. */
export type PlatformFamily = 'python' | 'javascript' | 'java' | 'go' | 'ruby' | 'php' | 'csharp' | 'native';

const FAMILY: Readonly<Record<string, PlatformFamily>> = {
  python: 'python',
  javascript: 'javascript',
  node: 'javascript',
  java: 'java',
  android: 'java',
  go: 'go',
  ruby: 'ruby',
  php: 'php',
  csharp: 'csharp',
  native: 'native',
  rust: 'native',
  cocoa: 'native',
  c: 'native',
};

/** `null`: no rules for this platform. */
export function platformFamily(platform: string): PlatformFamily | null {
  return Object.hasOwn(FAMILY, platform) ? (FAMILY[platform] ?? null) : null;
}
