import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Below the ephemeral ports of Linux, and above the usual server ports. */
const FIRST = 10_000;
const LAST = 32_767;
const FOLDER = join(tmpdir(), 'culprit-ports');

const reserved = new Set();

/**
 * A free port on loopback, or the first of `count` consecutive ones, for a server that keeps its port across restarts. No
 * other caller of this function gets it before this process ends. Servers that are started once listen on port 0 instead.
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

/** Writes this process's id to the port's file, unless a running process owns it. */
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
