import { type Methods, methodsOf } from './call.js';
import { type CallOptions, type ClientOptions, type Request, send } from './transport.js';

/** A client of core's API: a method for each operation, `client.snoozeRun({ run_id, until })`. */
export interface Client extends Methods {
  /** Core's URL, without a trailing slash. */
  readonly url: string;
  /** The same client with other options for its calls: `client.with({ signal }).getRun({ run_id })`. */
  with(changed: CallOptions): Client;
  /** Sends a request to a path that has no operation, with the client's credential, retries and errors. */
  request(request: Request): Promise<unknown>;
}

/** Creates a client of core's API. It opens no connection of its own. */
export function createClient({ url, ...options }: ClientOptions): Client {
  return clientOf({ ...options, url: url.replace(/\/+$/, '') });
}

function clientOf(options: ClientOptions): Client {
  return {
    ...methodsOf(options),
    url: options.url,
    with: (changed) => clientOf({ ...options, ...changed }),
    request: (request) => send(request, options),
  };
}
