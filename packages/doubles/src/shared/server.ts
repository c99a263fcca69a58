import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { DoubleClock } from './clock.js';
import { type Controls, control } from './control.js';
import { type Listening, listen, readBody } from './http.js';
import type { BaseOptions, Live, Webhook } from './options.js';
import { type Fault, Faults, type Hold, Holds, isCut, takesEffect } from './rules.js';

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is, `null` as nothing, anything else as JSON. */
  readonly body: unknown;
  /** Content type; default: the host's of JSON or of texts. */
  readonly type?: string;
}

export interface DoubleRequest {
  readonly method: string;
  readonly url: URL;
  /** The path as faults, holds and the log of requests have it. */
  readonly path: string;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
  /** Base address of the double. */
  readonly base: string;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  /** The host's name of the route, or `query NAME`; `null` if there is none. */
  readonly route: string | null;
  /** Status of the response; `null` before it is sent, and permanently if the connection was cut. */
  status: number | null;
}

/** A request of the API that was compared with its description. */
export interface OpenedRequest<Seen extends SeenRequest> {
  readonly seen: Seen;
  /** What in it violates the description. */
  readonly problems: readonly string[];
  /** Lets it take effect. */
  answer(): Answer | Promise<Answer>;
  /** Of every response, also of a bad one. */
  headers?(): Readonly<Record<string, string>>;
}

/** What differs between the hosts. */
export interface Host<Seen extends SeenRequest> extends Controls {
  /** Content types of JSON and of texts. */
  readonly types: { readonly json: string; readonly text: string };
  refuse(status: number, message: string): Answer;
  /** The path without what a variant of the host puts before it. */
  pathOf?(pathname: string): string;
  /** True: the request was not the API's, and it has been answered, before its body was read. */
  streams?(url: URL, incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  /** The response to a request that is not the API's, such as a web page's; `null`: it is. */
  page?(request: DoubleRequest): Answer | null | Promise<Answer | null>;
  open(request: DoubleRequest): OpenedRequest<Seen>;
  /** The bad response of a fault, given the good one if the request took effect; `null`: the connection is cut. */
  broken(fault: Fault, answer: Answer | null, request: DoubleRequest): Answer | null;
}

/** A running double, as far as all have the same. */
export interface RunningDouble<Seen extends SeenRequest = SeenRequest> {
  /** Base address, for the connector's setting. */
  readonly url: string;
  readonly port: number;
  /** All requests of the API, oldest first. */
  readonly requests: readonly Seen[];
  /** Errors of the double itself; must stay empty. */
  readonly bugs: readonly string[];
  /** What in requests violates the host's description. `close` rejects if there are any, or bugs. */
  readonly violations: string[];
  fault(fault: Fault): void;
  clearFaults(): void;
  hold(hold: Hold): void;
  /** Releases held requests. */
  release(): number;
  /** Advances the double's time. */
  advance(ms: number): void;
  /** Sends events from now on. */
  sendEvents(webhook: Webhook): void;
  close(): Promise<void>;
}

/** The server of a double: time, faults, holds, the log of requests, and the control API. */
export class DoubleServer<Options extends BaseOptions, Seen extends SeenRequest> {
  readonly options: Live<Options>;
  readonly clock: DoubleClock;
  readonly requests: Seen[] = [];
  readonly bugs: string[] = [];
  readonly violations: string[] = [];
  readonly faults = new Faults();
  readonly holds = new Holds();
  private listening: Listening | null = null;

  constructor(given: Options) {
    const { repositories, tokens } = given;
    const copies = { repositories: { ...repositories }, tokens: { ...tokens } };
    this.options = { ...given, ...copies } as unknown as Live<Options>;
    this.clock = new DoubleClock(given.now, given.timeScale, given.timeOrigin);
  }

  /** Base address. */
  get base(): string {
    return this.listening?.url ?? '';
  }

  async start(host: Host<Seen>): Promise<RunningDouble<Seen>> {
    const { requests, bugs, violations, faults, holds, clock, options } = this;
    const listening = await listen((incoming, outgoing) => {
      this.serve(host, incoming, outgoing).catch((error) => {
        if (incoming.destroyed && !incoming.complete) return;
        bugs.push(String(error));
        if (!outgoing.headersSent) send(host, outgoing, host.refuse(500, String(error)));
      });
    }, options.port);
    this.listening = listening;
    return {
      ...{ url: listening.url, port: listening.port, requests, bugs, violations },
      fault: (fault) => faults.add(fault),
      clearFaults: () => faults.clear(),
      hold: (hold) => holds.add(hold),
      release: () => holds.release(),
      advance: (ms) => clock.advance(ms),
      sendEvents: (webhook) => {
        options.webhook = webhook;
      },
      close: async () => {
        holds.release();
        clock.close();
        await listening.close();
        const found = [...bugs, ...violations];
        if (found.length > 0) throw new Error(found.join('\n'));
      },
    };
  }

  private async serve(host: Host<Seen>, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { base, clock, faults, holds } = this;
    const { method = 'GET', headers } = incoming;
    const url = new URL(incoming.url ?? '/', base);
    if (host.streams?.(url, incoming, outgoing)) return;
    const text = await readBody(incoming);
    if (url.pathname.startsWith('/__double/'))
      return send(host, outgoing, await control(this, host, { method, url, text, headers }));
    const path = host.pathOf?.(url.pathname) ?? url.pathname;
    const request: DoubleRequest = { method, url, path, text, headers, base };
    const page = (await host.page?.(request)) ?? null;
    if (page !== null) return send(host, outgoing, page);
    const opened = host.open(request);
    this.violations.push(...opened.problems);
    this.requests.push(opened.seen);
    await holds.pass({ method, path, when: 'before' });
    const fault = faults.take(method, path);
    if (fault?.kind === 'slow') await clock.wait(fault.ms ?? 1_000);
    let answer = fault === null || takesEffect(fault) ? await opened.answer() : null;
    await holds.pass({ method, path, when: 'after' });
    if (fault !== null && fault.kind !== 'slow')
      answer = isCut(fault) ? null : host.broken(fault, answer, request);
    if (fault?.kind.startsWith('hang')) return;
    if (answer === null) return void incoming.socket.resetAndDestroy();
    opened.seen.status = answer.status;
    send(host, outgoing, answer, opened.headers?.());
  }
}

/** Of a fault with a status. */
export function retryHeaders({ retryAfter }: Fault): Readonly<Record<string, string>> {
  return retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
}

function send(
  { types }: Pick<Host<SeenRequest>, 'types'>,
  outgoing: ServerResponse,
  { status, body, headers, type }: Answer,
  more: Readonly<Record<string, string>> = {},
): void {
  const isText = typeof body === 'string';
  const usual = isText ? types.text : types.json;
  outgoing.writeHead(status, { 'content-type': type ?? usual, ...more, ...headers });
  outgoing.end(isText ? body : body === null ? '' : JSON.stringify(body));
}
