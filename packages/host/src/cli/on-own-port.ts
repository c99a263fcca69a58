import { freePort, isFree } from './free-port.js';
import type { Service } from './supervise.js';

const PORTS_TRIED = 10;

/**
 * Starts a server on its configured port and resolves once it listens. Port 0 becomes a free port, fixed from now on, so that
 * a restart reuses it. If another program takes that port before the server binds it, the server is started on another one.
 */
export async function onOwnPort<Started extends Pick<Service, 'ready'>>(
  { port: configured, host }: { readonly port: number; readonly host: string },
  start: (port: number) => Started,
): Promise<Started> {
  for (let tried = 1; ; tried++) {
    const port = configured === 0 ? await freePort(host) : configured;
    const service = start(port);
    try {
      await service.ready;
      return service;
    } catch (error) {
      if (configured !== 0 || tried === PORTS_TRIED || (await isFree(port, host))) throw error;
    }
  }
}
