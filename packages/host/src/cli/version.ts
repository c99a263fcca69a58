import { readFileSync } from 'node:fs';

export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

export async function version(): Promise<number> {
  process.stdout.write(`culprit ${packageVersion()} (Node ${process.versions.node})\n`);
  return 0;
}
