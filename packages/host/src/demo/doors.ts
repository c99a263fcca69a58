import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { JsonObject } from '@culprit/core';
import type { HttpDoor } from '../edge/guards/guards.js';
import { freshCrash, throughDoor } from '../replay/captured.js';
import { type DoorAnswer, sendThroughDoor } from '../replay/send.js';
import type { CapturedError } from './capture-preload.js';
import type { DemoServers } from './servers.js';

export interface TimedAnswer extends DoorAnswer {
  readonly ms: number;
}

/** Sends a crash as JSON through a door, with a new event ID and the current time. Measures the time until the response. */
export async function sendCrash(
  servers: DemoServers,
  door: HttpDoor,
  crash: JsonObject,
): Promise<TimedAnswer> {
  const body = Buffer.from(JSON.stringify(freshCrash(crash)));
  const started = performance.now();
  const request = throughDoor(door, body, { 'content-type': 'application/json' });
  const answer = await sendThroughDoor(servers.edgeUrl, request, servers);
  return { ...answer, ms: performance.now() - started };
}

/** An alert in the format of an error tracker, from the call sites of a real error. */
export function alertOf(
  error: CapturedError,
  about: {
    readonly root: string;
    readonly release: string;
    readonly environment: string;
  },
): JsonObject {
  const frames = error.frames.map(({ file, line, column, function: name }, index) => {
    const internal = file === null || file.startsWith('node:');
    return {
      filename: internal ? file : relative(about.root, file),
      abs_path: file,
      function: name,
      lineno: line,
      colno: column,
      ...(internal || index < error.frames.length - 1 ? {} : { context_line: lineAt(file, line) }),
      in_app: !internal,
    };
  });
  const { type, value } = error;
  const mechanism = { type: 'onuncaughtexception', handled: false };
  return {
    message: `${type}: ${value}`,
    level: 'fatal',
    platform: 'node',
    release: about.release,
    environment: about.environment,
    exception: { values: [{ type, value, mechanism, stacktrace: { frames } }] },
  };
}

/** Alerts include the source line of the throwing frame. */
function lineAt(file: string, line: number | null): string | null {
  return line === null ? null : (readFileSync(file, 'utf8').split('\n')[line - 1] ?? null);
}
