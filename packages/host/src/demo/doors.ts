import { relative } from 'node:path';
import type { JsonObject } from '@culprit/core';
import { parseStack } from '@culprit/core/internal/pipeline/parse-stack/parse-stack';
import type { HttpDoor } from '../edge/guards/guards.js';
import { freshCrash, throughDoor } from '../replay/captured.js';
import { type DoorAnswer, sendThroughDoor } from '../replay/send.js';
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

/** An alert in the format of an error tracker: what a Node.js program printed, with its frames as members. */
export function alertOf(
  stderr: string,
  { root, ...about }: { readonly root: string; readonly release: string; readonly environment: string },
): JsonObject {
  const values = parseStack(stderr, 'node').exceptions.map(({ type, value, frames }) => ({
    type,
    value,
    mechanism: { type: 'onuncaughtexception', handled: false },
    stacktrace: {
      frames: frames.map(({ file, line, column, function: name, context_line, in_app }) => ({
        filename: in_app && file !== null ? relative(root, file) : file,
        abs_path: file,
        function: name,
        lineno: line,
        colno: column,
        context_line,
        in_app,
      })),
    },
  }));
  const [error] = values;
  const message = `${error?.type}: ${error?.value}`;
  return { message, level: 'fatal', platform: 'node', ...about, exception: { values } };
}
