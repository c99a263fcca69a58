import { type BindOptions, type Bound, cannotListen, type HttpDriver } from './driver.js';
import { peerOf, readHead } from './uws-head.js';
import type { Uws, UwsApp, UwsListenSocket, UwsResponse } from './uws-load.js';
import { mountSocket } from './uws-socket.js';
import { UwsWire } from './uws-wire.js';

/** uWebSockets.js. */
export const uwsDriver = (uws: Uws): HttpDriver => ({ name: 'uws', bind: (options) => bind(uws, options) });

async function bind(uws: Uws, options: BindOptions): Promise<Bound> {
  const { clientAddress, mayConnect, request, logger } = options;
  const app = uws.App();
  const sockets = options.sockets.map((route) => mountSocket(uws, app, { route, clientAddress, logger }));
  const opened = (res: UwsResponse) => {
    if (!mayConnect(peerOf(res))) res.close();
  };
  // Called with 1 when a connection opens, with -1 when it closes.
  app.filter((res, count) => (Number(count) > 0 ? opened(res) : undefined));
  app.any('/*', (res, req) => request(readHead(req, res, clientAddress), new UwsWire(res)));
  const token = await listenOn(app, options.host, options.port);
  return {
    port: uws.us_socket_local_port(token),
    stop() {
      uws.us_listen_socket_close(token);
      for (const mounted of sockets) mounted.closeAll();
    },
    async close() {
      app.close();
    },
  };
}

/** The native code accepts host and options together; the published types only one of them. */
type ListenOnHost = (
  host: string,
  port: number,
  options: number,
  bound: (token: UwsListenSocket | false) => void,
) => void;
/** `LIBUS_LISTEN_EXCLUSIVE_PORT`: without it, a second server silently shares the port. */
const EXCLUSIVE_PORT = 1;

function listenOn(app: UwsApp, host: string, port: number): Promise<UwsListenSocket> {
  return new Promise((resolve, reject) => {
    const listen = app.listen.bind(app) as unknown as ListenOnHost;
    listen(host, port, EXCLUSIVE_PORT, (token) => {
      if (token) return resolve(token);
      app.close();
      reject(cannotListen(host, port));
    });
  });
}
