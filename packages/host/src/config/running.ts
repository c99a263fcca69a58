import { rmSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import { isLoopback, urlOf } from './network.js';
import { commandName } from './own-name.js';
import { createDirectory, createFile, readOwnFile } from './private-files.js';
import type { HostSettings, ReadConfig } from './read-config.js';

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
interface RunningNote extends v.InferOutput<typeof noteSchema> {
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
function isOnThisMachine(host: string): boolean {
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

/** Where a command looks for a server, and why there. */
export interface Address {
  readonly url: string;
  /** One or two sentences for the error when nothing answers: who named the address, and what else to set. */
  readonly why: string;
  /**
   * Which setting of a `culprit.json` that was only found in the working directory, or of its `envFile`, names another machine.
   * `null`: the address is this machine's, or the user named it.
   */
  readonly foundIn: string | null;
}

/** What names the address of each server. */
export const ADDRESS_NAMES = {
  core: { flag: '--url', env: 'CULPRIT_URL', port: 'corePort' },
  edge: { flag: '--edge-url', env: 'CULPRIT_EDGE_URL', port: 'edgePort' },
} as const;

/**
 * The flag over the environment over the server that runs in the data directory over the configuration. A server that was
 * killed is still a better guess than the default: it is being restarted, or the error says what became of it.
 */
export function addressOf(role: ServerRole, given: string | null, read: ReadConfig): Address {
  const { flag, env } = ADDRESS_NAMES[role];
  const named = given ?? (process.env[env] || null);
  if (named !== null) {
    const origin = given === null ? env : flag;
    return {
      url: httpUrl(named, origin),
      why: `This address comes from ${origin}. Check it, and that ${role} runs there.`,
      foundIn: null,
    };
  }
  const { dataDirectory } = read.config;
  const fix = `Start it with \`${commandName()} up\`, or name a running one: its data directory with --data (DATA_DIR), or its address with ${flag} (${env}).`;
  const note = readRunning(dataDirectory, role);
  const { url, origin, found } = configured(role, read);
  if (note === null || (!note.alive && origin !== null))
    return {
      url,
      why: `This address comes from ${origin ?? 'the defaults'}; no ${role} that this user or root started runs in ${dataDirectory}. ${fix}`,
      foundIn: found && !isOnThisMachine(new URL(url).hostname) ? origin : null,
    };
  const state = note.alive ? 'runs since' : 'was killed; it ran since';
  return {
    url: note.url,
    why: `This address comes from ${note.file}: process ${note.pid} ${state} ${note.started}. ${fix}`,
    foundIn: null,
  };
}

/** `origin`: `null` for the default. `found`: by a file that the user did not name. */
function configured(
  role: ServerRole,
  { config, origins, found }: ReadConfig,
): { url: string; origin: string | null; found: boolean } {
  const { port } = ADDRESS_NAMES[role];
  if (role === 'core' && config.coreUrl !== null)
    return {
      url: config.coreUrl.replace(/\/$/, ''),
      origin: origins.get('coreUrl') ?? null,
      found: found.has('coreUrl'),
    };
  const origin = (found.has('host') ? undefined : origins.get(port)) ?? origins.get('host') ?? null;
  return { url: urlOf(config.host, config[port]), origin, found: found.has('host') };
}

function httpUrl(text: string, origin: string): string {
  if (/^https?:\/\/[^\s?#@]+$/.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '');
  throw new CulpritError(
    'configuration',
    `${origin} must be http(s)://host[:port], with a path if Culprit is below one, and without a password, a query or a fragment.`,
    { members: { origin } },
  );
}
