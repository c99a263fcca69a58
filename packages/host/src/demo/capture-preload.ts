/**
 * Loaded into the crashing program by `node --import <this>?to=FILE`: writes what an error tracker's agent would see
 * of an uncaught error, from V8's own call sites, to FILE. Prints nothing and changes nothing else.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface CapturedFrame {
  readonly file: string | null;
  readonly function: string | null;
  readonly line: number | null;
  readonly column: number | null;
}
export interface CapturedError {
  readonly type: string;
  readonly value: string;
  /** Oldest first: the last frame threw. */
  readonly frames: readonly CapturedFrame[];
}

const to = new URL(import.meta.url).searchParams.get('to');
const sites = new WeakMap<Error, readonly NodeJS.CallSite[]>();

if (to !== null) {
  Error.prepareStackTrace = (error, callSites) => {
    sites.set(error, callSites);
    return [String(error), ...callSites.map((site) => `    at ${site}`)].join('\n');
  };
  process.on('uncaughtExceptionMonitor', (error) => {
    // The call sites come into being with the first look at the stack.
    void error.stack;
    const captured: CapturedError = {
      type: error.name,
      value: error.message,
      frames: [...(sites.get(error) ?? [])].reverse().map(describe),
    };
    writeFileSync(to, JSON.stringify(captured));
  });
}

function describe(site: NodeJS.CallSite): CapturedFrame {
  const name = site.getFileName() ?? null;
  return {
    file: name?.startsWith('file:') ? fileURLToPath(name) : name,
    function: site.getFunctionName(),
    line: site.getLineNumber(),
    column: site.getColumnNumber(),
  };
}
