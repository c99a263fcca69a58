import { ApiError } from '../api-error.js';
import { type Client, createClient } from '../client.js';
import type { RunPage, RunSummary } from '../operations.js';
import {
  type ConnectionState,
  createEmitter,
  type Emitter,
  type LiveEvents,
  type LiveReason,
} from './events.js';
import { LiveState } from './live-state.js';
import { type EdgeFigures, LIVE_CLOSE, LIVE_VERSION, type LiveMessage } from './messages.js';
import { defaultSocketClass, type LiveSocket, type LiveSocketClass, openSocket } from './socket.js';

const RETRY_DELAYS = [500, 1_000, 2_000, 5_000, 10_000, 30_000];
const JITTER = 0.25;
const PAGE = 200;
/** How long to wait for the close event after an error event. */
const ERROR_MS = 50;
const REQUEST_MS = 10_000;
const NO_WEBSOCKET =
  'this Node has no WebSocket. Install the package `ws`, use Node 22 or later, or pass `WebSocket`';

/** Where the live client connects and how it reconnects. */
export interface LiveClientOptions {
  /** Core's URL, such as `https://culprit.example`, or `https://shop.example/culprit` below a path. */
  readonly url: string;
  /** A reviewer's token, for programs. Browsers cannot send it and use the board's session cookie. */
  readonly token?: string | undefined;
  /** Default: the global WebSocket; on Node 20, which has none, the one of the package `ws`, which you install. */
  readonly WebSocket?: LiveSocketClass;
  /** Default: the global fetch. */
  readonly fetch?: typeof globalThis.fetch;
  /** Delays between attempts, each shortened by up to 25 % at random; the last one repeats. An empty list: do not reconnect. */
  readonly pausesMs?: readonly number[];
  /**
   * Follow only `state:staged_raw`, `project:shop`, `run:run_1`, at most 20; a run has to match one of them. Default: every
   * run. With topics the sequence has holes, so gaps cannot be detected; after a reconnect core sends what was missed.
   */
  readonly topics?: readonly string[];
  /** Resume from the `cursor` of an earlier client. For programs that store runs themselves: `runs` starts empty. */
  readonly since?: { readonly epoch: string; readonly sequence: number };
}

/** A connection to the live feed that reconnects by itself. */
export interface LiveClient {
  /** Open runs by ID, as in `GET /api/v1/runs?state=staged_raw,analyzing,staged_draft,publishing,snoozed`, restricted by `topics`. */
  readonly runs: ReadonlyMap<string, RunSummary>;
  readonly guard: readonly EdgeFigures[];
  readonly state: ConnectionState;
  /** False while open runs are still being read. */
  readonly complete: boolean;
  readonly cursor: { readonly epoch: string; readonly sequence: number } | null;
  /** Returns a function that removes the listener. */
  on: Emitter['on'];
  /** Closes the connection permanently. */
  close(): void;
}

/** Follows core's live feed. Reconnects and resumes after every loss, and reports when it could not resume. */
export function connectLive(options: LiveClientOptions): LiveClient {
  return new Connection(options);
}

class Connection implements LiveClient {
  state: ConnectionState = 'connecting';
  private readonly emitter = createEmitter();
  private readonly known: LiveState;
  private readonly address: URL;
  private readonly api: Client;
  private socket: LiveSocket | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Attempts to connect that failed in a row. */
  private failures = 0;
  /** Stops reading the pages of an older snapshot. */
  private paging: AbortController | null = null;

  constructor(private readonly options: LiveClientOptions) {
    const { url, token = null, fetch, topics = [], since } = options;
    this.known = new LiveState(topics);
    const { origin, pathname } = new URL(url);
    const core = `${origin}${pathname.replace(/\/+$/, '')}`;
    this.address = new URL(`${core}/api/v1/live`);
    this.api = createClient({
      url: core,
      token,
      timeoutMs: REQUEST_MS,
      retries: 0,
      ...(fetch === undefined ? {} : { fetch }),
    });
    if (since !== undefined) this.known.cursor = since;
    this.timer = setTimeout(() => void this.connect());
  }

  get runs(): ReadonlyMap<string, RunSummary> {
    return this.known.runs;
  }
  get guard(): readonly EdgeFigures[] {
    return this.known.guard;
  }
  get complete(): boolean {
    return this.known.complete;
  }
  get cursor() {
    return this.known.cursor;
  }
  on<Name extends keyof LiveEvents>(name: Name, listener: (event: LiveEvents[Name]) => void): () => void {
    return this.emitter.on(name, listener);
  }

  close(): void {
    this.end('closed', 'closed by this program');
  }

  private async connect(): Promise<void> {
    this.become('connecting', 'connecting');
    const socketClass = this.options.WebSocket ?? (await defaultSocketClass());
    if (this.isClosed()) return;
    if (socketClass === null) return this.end('no_websocket', NO_WEBSOCKET);
    const url = new URL(this.address);
    url.protocol = url.protocol.replace(/^http/, 'ws');
    url.searchParams.set('version', String(LIVE_VERSION));
    const { topics = [] } = this.options;
    if (topics.length > 0) url.searchParams.set('topics', topics.join(','));
    const { cursor } = this.known;
    if (cursor !== null) url.searchParams.set('since', `${cursor.epoch}.${cursor.sequence}`);
    const socket = openSocket(socketClass, url.href, this.options.token);
    this.socket = socket;
    let opened = false;
    socket.addEventListener('open', () => {
      opened = true;
    });
    socket.addEventListener('message', (event) => {
      if (this.socket === socket) this.receive(String((event as { readonly data?: unknown }).data));
    });
    // A close event should follow an error event; Node 22 emits only the error for a refused handshake.
    socket.addEventListener('error', () => {
      this.timer = setTimeout(() => this.lost(socket, opened, {}), ERROR_MS);
    });
    socket.addEventListener('close', (event) => this.lost(socket, opened, event));
  }

  private lost(socket: LiveSocket, opened: boolean, event: { code?: number; reason?: string }): void {
    if (this.socket !== socket) return;
    clearTimeout(this.timer);
    this.socket = null;
    if (event.code === LIVE_CLOSE.signed_out) this.end('signed_out', 'signed out');
    // Core is there and expects it, so nobody needs to hear of it.
    else if (event.code === LIVE_CLOSE.confirm && this.options.pausesMs?.length !== 0) void this.connect();
    else if (opened) this.retry('lost', event.reason || 'connection lost');
    else void this.askWhy();
  }

  private receive(text: string): void {
    const message = JSON.parse(text) as LiveMessage;
    if (message.type === 'snapshot' && message.version !== LIVE_VERSION) {
      const detail = `core uses version ${message.version} of the live feed, this client version ${LIVE_VERSION}`;
      this.end('unsupported_version', detail);
      return;
    }
    const known = this.known.cursor !== null;
    const before = message.type === 'run' ? (this.known.runs.get(message.run.run_id) ?? null) : null;
    const applied = this.known.apply(message);
    if (applied === 'gap') {
      this.reconnect();
      return;
    }
    this.failures = 0;
    if (this.state !== 'live') this.become('live', 'live');
    if (message.type === 'snapshot') this.emitSnapshot(message.reset || known);
    if (message.type === 'run' && applied === 'run') {
      const open = this.known.runs.has(message.run.run_id);
      this.emitter.emit('run', { run: message.run, before, open });
    }
    if (applied === 'snapshot' || applied === 'guard') this.emitter.emit('guard', this.known.guard);
    if (message.type === 'progress') this.emitter.emit('progress', message);
    this.emitter.emit('message', message);
  }

  private emitSnapshot(reset: boolean): void {
    const { complete } = this.known;
    this.emitter.emit('snapshot', { runs: [...this.known.runs.values()], reset, complete });
    this.paging?.abort();
    this.paging = complete ? null : new AbortController();
    if (this.paging !== null) void this.readPages(this.paging.signal);
  }

  /** Reads the open runs that did not fit in the snapshot. Continues across reconnects; a new snapshot stops it. */
  private async readPages(signal: AbortSignal): Promise<void> {
    const queries = this.known.queries();
    let cursor: string | null = null;
    for (let failures = 0; !signal.aborted; ) {
      try {
        const page: RunPage = await this.api.listRuns({
          ...queries[0],
          limit: PAGE,
          ...(cursor === null ? {} : { cursor }),
        });
        if (signal.aborted) return;
        if (page.next === null) queries.shift();
        this.known.fill(page.runs, queries.length === 0);
        if (queries.length === 0)
          return this.emitter.emit('complete', { runs: [...this.known.runs.values()] });
        cursor = page.next;
      } catch {
        failures += 1;
        await new Promise((resolve) => setTimeout(resolve, this.retryDelay(failures)));
      }
    }
  }

  /** Browsers do not expose why a handshake was refused, so the client asks again over HTTP. */
  private async askWhy(): Promise<void> {
    const error = await this.api
      .request({ method: 'GET', path: `/api/v1/live?version=${LIVE_VERSION}` })
      .catch((reason: unknown) => reason);
    if (!(error instanceof ApiError)) return this.retry('unreachable', 'core does not respond');
    const { status, path, message } = error;
    if (status === 401 || status === 403) this.end('signed_out', message);
    else if (path === 'version') this.end('unsupported_version', message);
    else if (status >= 500) this.retry('unreachable', message);
    else this.retry('unreachable', status === 0 ? 'core does not respond' : 'the WebSocket handshake failed');
  }

  /** After a gap: resumes after the last message that was applied. */
  private reconnect(): void {
    const { socket } = this;
    this.socket = null;
    socket?.close();
    this.retry('gap', 'messages are missing');
  }

  private retry(reason: LiveReason, detail: string): void {
    if (this.state === 'closed') return;
    if (this.options.pausesMs?.length === 0) {
      this.end(reason, detail);
      return;
    }
    this.failures += 1;
    const ms = this.retryDelay(this.failures);
    this.timer = setTimeout(() => void this.connect(), ms);
    this.become('waiting', `${detail}; retry in ${Math.max(1, Math.round(ms / 1_000))} s`, reason);
  }

  /** With an empty list, which means not to reconnect, pages are still read again with the default delays. */
  private retryDelay(failures: number): number {
    const { pausesMs = [] } = this.options;
    const delays = pausesMs.length === 0 ? RETRY_DELAYS : pausesMs;
    const delay = delays[Math.min(failures, delays.length) - 1] ?? 0;
    return Math.round(delay * (1 - JITTER * Math.random()));
  }

  private end(reason: LiveReason, detail: string): void {
    if (this.state === 'closed') return;
    clearTimeout(this.timer);
    this.paging?.abort();
    const { socket } = this;
    this.socket = null;
    socket?.close();
    this.become('closed', detail, reason);
  }

  /** A listener may have closed the client. */
  private isClosed(): boolean {
    return this.state === 'closed';
  }

  private become(state: ConnectionState, detail: string, reason: LiveReason | null = null): void {
    this.state = state;
    this.emitter.emit('state', { state, detail, reason });
  }
}
