import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { root } from './root.mjs';
import { bin } from './tasks.mjs';

/** Files at a time: one for each core, from two to four. Each starts servers and browsers of its own. */
const JOBS = Math.min(4, Math.max(2, availableParallelism()));

/**
 * Runs tap over `files`, prints a line for each finished file and what failed in it.
 * The whole stream is kept in `logFile`.
 * @returns {Promise<{ pass: number, fail: number, skip: number, needs: string[], times: Map<string, number> }>}
 */
export function runTap(files, logFile, tries = 3) {
  const args = [bin.tap, 'run', '--reporter=tap', `--jobs=${JOBS}`, ...files];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const log = createWriteStream(logFile);
  const totals = { pass: 0, fail: 0, skip: 0, needs: [], times: new Map() };
  let [begun, ended] = [false, false];
  let held = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    log.write(`${line}\n`);
    begun = true;
    held.push(line);
    const skip = /# SKIP (.*)/i.exec(line)?.[1]?.trim();
    if (skip && /^needs\b/.test(skip)) totals.needs.push(skip);
    const file = /^(not )?ok \d+ - (\S+\.test\.ts)/.exec(line);
    if (file) {
      const seconds = Number(/# time=([\d.]+)ms/.exec(line)?.[1] ?? 0) / 1000;
      totals.times.set(file[2], seconds);
      // A buffered file announces itself first and ends with a brace.
      if (!line.endsWith('{')) held = report(file[2], !file[1], seconds, held);
      else held = [line];
    }
    if (line === '}' && held.length > 0) {
      const head = /^(not )?ok \d+ - (\S+\.test\.ts)/.exec(held[0]);
      if (head) held = report(head[2], !head[1], totals.times.get(head[2]) ?? 0, held);
    }
    const sum = /^# \{ total: \d+(.*)\}/.exec(line)?.[1];
    if (sum !== undefined) {
      ended = true;
      for (const key of ['pass', 'fail', 'skip']) {
        totals[key] = Number(new RegExp(`\\b${key}: (\\d+)`).exec(sum)?.[1] ?? 0);
      }
    }
  });
  return new Promise((resolve) => {
    child.on('close', (code) => {
      log.end();
      // At its start tap clears a folder of `.tap`; that fails while another one, at work here, writes to it.
      if (!begun && tries > 1) return resolve(runTap(files, logFile, tries - 1));
      // Without totals, or with a bad end that no test explains, something broke that was not counted.
      if (!ended || (code !== 0 && totals.fail === 0)) totals.fail += 1;
      if (!ended) console.log(held.join('\n'));
      resolve(totals);
    });
  });
}

/** Prints one file's result; returns the lines to hold next: none. */
function report(file, ok, seconds, lines) {
  console.log(
    `${ok ? '✓' : '✗'} ${file.replace(/^packages\//, '').padEnd(52)} ${seconds.toFixed(1).padStart(6)} s`,
  );
  if (!ok) console.log(failures(lines).join('\n'));
  return [];
}

/** The failed assertions with their diagnostics. */
function failures(lines) {
  const out = [];
  let inside = false;
  for (const line of lines) {
    if (/^\s+not ok /.test(line)) {
      out.push(line);
      inside = true;
    } else if (inside && /^\s*\.\.\.$/.test(line)) inside = false;
    else if (/^\s*ok \d/.test(line)) inside = false;
    else if (inside) out.push(line);
  }
  return out.slice(0, 200);
}
