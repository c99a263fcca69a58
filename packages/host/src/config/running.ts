import { rmSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { isLoopback } from './network.js';
import { createDirectory, createFile, readOwnFile } from './private-files.js';
import type { HostSettings } from './read-config.js';

export type ServerRole = 'core' | 'edge';

const noteSchema = v.object({
  pid: v.pipe(v.number(), v.integer(), v.minValue(1)),
  url: v.pipe(v.string(), v.regex(/^http:\/\/[\w.:[\]-]+$/)),
  started: v.string(),
  settings: v.optional(
    v.object({ cwd: v.string(), file: v.nullable(v.string()), env: v.record(v.string(), v.string()) }),
  ),
});

/** Where a server of a data directory listens. */
export interface RunningNote extends v.InferOutput<typeof noteSchema> {
  readonly file: string;
  /** False: its process was killed, so nobody has removed the note. */
  readonly alive: boolean;
}

const fileOf = (directory: string, role: ServerRole) => join(directory, `running-${role}.json`);

/** Notes where this process listens, so that commands find it and its settings. Returns a function that removes the note. */
export function noteRunning(
  directory: string,
  role: ServerRole,
  url: string,
  settings?: HostSettings,
): () => void {
  createDirectory(directory);
  const note = { pid: process.pid, url, started: new Date().toISOString(), settings };
  createFile(fileOf(directory, role), `${JSON.stringify(note)}\n`, true);
  return () => {
    // Another process may have started since, in a directory that several share.
    if (noteIn(directory, role)?.pid === process.pid) rmSync(fileOf(directory, role), { force: true });
  };
}

/**
 * `null`: none runs there, or its note cannot be trusted. Commands send their token to the address, and a cloned repository or
 * another user may have made the directory.
 */
export function readRunning(directory: string, role: ServerRole): RunningNote | null {
  const note = noteIn(directory, role);
  return note !== null && isOnThisMachine(new URL(note.url).hostname) ? note : null;
}

/** The servers that run there, core first. */
export function runningIn(directory: string): readonly RunningNote[] {
  const notes = (['core', 'edge'] as const).map((role) => readRunning(directory, role));
  return notes.filter((note) => note?.alive === true) as RunningNote[];
}

/** Loopback, or an address of this machine: `host` as in a URL. */
export function isOnThisMachine(host: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  return isLoopback(host) || [hostname(), ...own].includes(host.replace(/^\[|\]$/g, ''));
}

function noteIn(directory: string, role: ServerRole): RunningNote | null {
  const file = fileOf(directory, role);
  try {
    const note = v.parse(noteSchema, JSON.parse(readOwnFile(file)));
    return { ...note, file, alive: isAlive(note.pid) };
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Another user's process.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
