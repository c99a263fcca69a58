import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { BIN } from './run-culprit.js';

export interface LogLine {
  readonly model?: string;
  readonly msg: string;
  readonly pid: number;
  readonly name: string;
  readonly port?: number;
  readonly edge?: string;
  readonly core?: string;
  readonly board?: string;
  /** Of a message of `listen --format json`. */
  readonly type?: string;
  readonly run?: { readonly state: string };
}

export interface Running {
  readonly child: ChildProcess;
  /** The next log line that matches. */
  line(fits: (line: LogLine) => boolean): Promise<LogLine>;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** Starts the command line; its log is read line by line. */
export function startCulprit(
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Running {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: LogLine[] = [];
  const waiting: { fits: (line: LogLine) => boolean; resolve: (line: LogLine) => void }[] = [];
  let stdout = '';
  let stderr = '';
  createInterface(child.stdout).on('line', (text) => {
    stdout += `${text}\n`;
    if (!text.startsWith('{"')) return;
    const line = JSON.parse(text) as LogLine;
    const at = waiting.findIndex(({ fits }) => fits(line));
    if (at >= 0) waiting.splice(at, 1)[0]?.resolve(line);
    else lines.push(line);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  return {
    child,
    line(fits) {
      const at = lines.findIndex(fits);
      if (at >= 0) return Promise.resolve(lines.splice(at, 1)[0] as LogLine);
      return new Promise((resolve) => waiting.push({ fits, resolve }));
    },
    ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr }))),
  };
}
