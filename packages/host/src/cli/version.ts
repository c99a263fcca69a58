import { readFileSync } from 'node:fs';

export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

export async function version(argv: readonly string[] = []): Promise<number> {
  const known = { version: packageVersion(), node: process.versions.node };
  const text = argv.includes('--json')
    ? JSON.stringify(known)
    : `culprit ${known.version} (Node ${known.node})`;
  process.stdout.write(`${text}\n`);
  return 0;
}
