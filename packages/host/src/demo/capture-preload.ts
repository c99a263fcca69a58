/**
 * Loaded into the crashing program by `node --import <this>?to=FILE`. Writes an uncaught error with its V8 call sites to FILE,
 * as the agent of an error tracker would report it. Has no other effects.
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
    // V8 collects the call sites when the stack is first read.
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
