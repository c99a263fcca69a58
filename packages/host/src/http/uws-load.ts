import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket, WebSocket } from 'uWebSockets.js';
import { CulpritError } from '@culprit/core';
import { setNativeLimits } from '../config/native-limits.js';

export type UwsApp = TemplatedApp;
export type UwsResponse = HttpResponse;
export type UwsRequest = HttpRequest;
export type UwsListenSocket = us_listen_socket;
export type UwsSocket<Data> = WebSocket<Data>;
export type Uws = Pick<
  typeof import('uWebSockets.js'),
  'App' | 'us_listen_socket_close' | 'us_socket_local_port' | 'DISABLED'
>;

/** Loads the native server. It is CommonJS, with a default export only, and does not exist for every platform. */
export async function loadUws(): Promise<Uws> {
  setNativeLimits();
  try {
    const loaded: { readonly default: Uws } = await import('uWebSockets.js');
    return loaded.default;
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
    const fix =
      'Run `npm install` again without --omit; on Node 22 or later it needs glibc 2.38 (Debian 13, Ubuntu 24.04): ' +
      'use Node 20 on older systems, or embed Culprit in a server of your own with @culprit/embed.';
    throw new CulpritError('configuration', `uWebSockets.js cannot be loaded (${reason}). ${fix}`, { cause });
  }
}
