import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Below the ports that Linux gives to outgoing connections, and above the usual ones of servers. */
const FIRST = 10_000;
const LAST = 32_767;
const FOLDER = join(tmpdir(), 'culprit-ports');

const reserved = new Set();

/**
 * A free port of loopback, or the first of `count` in a row, for a server that must keep its port when it is restarted. No other
 * process that asks here gets it before this one ends. Servers that are started once listen on port 0 instead.
 */
export async function reservePort(count = 1) {
  for (;;) {
    const first = randomInt(FIRST, LAST + 2 - count);
    const row = Array.from({ length: count }, (_, index) => first + index);
    const taken = row.filter(take);
    if (taken.length === count && (await Promise.all(row.map(isFree))).every(Boolean)) return first;
    for (const port of taken) release(port);
  }
}

/** Writes this process's id to the file of the port, unless a living process has it. */
function take(port) {
  if (reserved.size === 0) process.once('exit', () => reserved.forEach(release));
  mkdirSync(FOLDER, { recursive: true });
  try {
    writeFileSync(fileOf(port), String(process.pid), { flag: 'wx' });
  } catch {
    if (ownerLives(port)) return false;
    writeFileSync(fileOf(port), String(process.pid));
  }
  reserved.add(port);
  return true;
}

function release(port) {
  reserved.delete(port);
  rmSync(fileOf(port), { force: true });
}

function ownerLives(port) {
  try {
    process.kill(Number(readFileSync(fileOf(port), 'utf8')), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function isFree(port) {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

const fileOf = (port) => join(FOLDER, String(port));
