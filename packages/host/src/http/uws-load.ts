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
    const fix = 'Set HTTP_DRIVER=auto to serve through node:http instead.';
    throw new CulpritError('configuration', `uWebSockets.js cannot be loaded: ${reasonOf(cause)}. ${fix}`, {
      cause,
    });
  }
}

/** In words; the package's own message names all platforms that it might be. */
export function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  const [, glibc] = /version `GLIBC_([\d.]+)' not found/.exec(text) ?? [];
  const node = `Node ${process.versions.node.split('.', 1)[0]}`;
  if (glibc !== undefined) return `on ${node} it needs glibc ${glibc}, and this system has an older one`;
  if (/Cannot find module '\.\/uws_/.test(text))
    return `it has no binary for ${node} on ${process.platform} ${process.arch}`;
  if (/Cannot find (?:module|package) '/.test(text)) return 'it is not installed; run `npm install`';
  return text.split('\n', 1)[0] ?? '';
}
