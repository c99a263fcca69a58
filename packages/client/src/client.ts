import { type Call, caller } from './call.js';
import { auditMethods } from './methods/audit.js';
import { erasureMethods } from './methods/erasures.js';
import { gateMethods } from './methods/gates.js';
import { installationMethods } from './methods/installation.js';
import { releaseMethods } from './methods/releases.js';
import { runMethods } from './methods/runs.js';
import { sourceMapMethods } from './methods/source-maps.js';
import { tokenMethods } from './methods/tokens.js';
import { triageMethods } from './methods/triage.js';
import { webhookMethods } from './methods/webhooks.js';
import { type CallOptions, type ClientOptions, type Request, send } from './transport.js';

/** A client of core's API. Methods reject with {@link ApiError}; none of them needs `this`. */
export interface Client extends Methods {
  /** Core's URL, without a trailing slash. */
  readonly url: string;
  /** The same client with other options for its calls: `client.with({ signal }).run(id)`. */
  with(changed: CallOptions): Client;
  /** Calls any operation by its `operationId`, with everything that it takes. */
  readonly call: Call;
  /** Sends a request to a path that has no operation, with the client's credential, retries and errors. */
  request(request: Request): Promise<unknown>;
}

type Methods = ReturnType<typeof methodsOf>;

/** Creates a client of core's API. It opens no connection of its own. */
export function createClient({ url, ...options }: ClientOptions): Client {
  return clientOf({ ...options, url: url.replace(/\/+$/, '') });
}

function clientOf(options: ClientOptions): Client {
  const call = caller(options);
  return {
    url: options.url,
    with: (changed) => clientOf({ ...options, ...changed }),
    call,
    request: (request) => send(request, options),
    ...methodsOf(call),
  };
}

/** One file below `methods` for each area. A new method is a line there. */
function methodsOf(call: Call) {
  return {
    ...runMethods(call),
    ...gateMethods(call),
    ...triageMethods(call),
    ...installationMethods(call),
    ...tokenMethods(call),
    webhooks: webhookMethods(call),
    sourceMaps: sourceMapMethods(call),
    releases: releaseMethods(call),
    erasures: erasureMethods(call),
    audit: auditMethods(call),
  };
}
