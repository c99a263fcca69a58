import type { RunSummary } from '@culprit/core';
import { type EdgeFigures, LIVE_CLOSE, LIVE_VERSION, type LiveMessage } from '../live/messages.js';
import { type ConnectionState, createEmitter, type Emitter, type LiveEvents } from './events.js';
import { LiveState } from './live-state.js';
import { type LiveSocket, type LiveSocketClass, openSocket, socketClass } from './socket.js';

const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000];
const JITTER = 0.25;
const PAGE = 200;
/** How long a close is waited for after an error. */
const ERROR_MS = 50;

export interface LiveClientOptions {
  /** Where core is reached, such as `https://culprit.example`. In the board's own page: `location.origin`. */
  readonly url: string;
  /** A reviewer's token, for programs. Browsers cannot send it and use the board's session cookie. */
  readonly token?: string;
  /** Absent: the global one, which browsers and Node 22 have; for Node 20 that of the package `ws`. */
  readonly WebSocket?: LiveSocketClass;
  /** Absent: the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** Pauses before tries that follow one another, a quarter more or less; the last one is kept. */
  readonly pausesMs?: readonly number[];
  /**
   * Only changes of these: `state:staged_raw`, `project:shop`, `run:run_1`, at most 20; any of them is enough. Absent: every
   * change. With topics numbers are left out, so a gap cannot be seen; what was missed while away is sent on return.
   */
  readonly topics?: readonly string[];
  /** Where to resume, from an earlier client's `cursor`. Only for those who keep runs themselves: nothing is known of them here. */
  readonly since?: { readonly epoch: string; readonly sequence: number };
}

export interface LiveClient {
  /** Open runs by id: what `GET /api/v1/runs?state=staged_raw,analyzing,staged_draft,publishing` shows. With topics: theirs. */
  readonly runs: ReadonlyMap<string, RunSummary>;
  readonly guard: readonly EdgeFigures[];
  readonly state: ConnectionState;
  /** False: open runs are still being read. */
  readonly complete: boolean;
  readonly cursor: { readonly epoch: string; readonly sequence: number } | null;
  /** Returns how to stop listening. */
  on: Emitter['on'];
  /** For good. */
  close(): void;
}

/** Follows core's live feed: comes back after every loss where it left off, and says so where that was not possible. */
export function connectLive(options: LiveClientOptions): LiveClient {
  return new Connection(options);
}

class Connection implements LiveClient {
  state: ConnectionState = 'connecting';
  private readonly emitter = createEmitter();
  private readonly known: LiveState;
  private readonly socketClass: LiveSocketClass;
  private readonly fetch: typeof globalThis.fetch;
  private readonly address: URL;
  private socket: LiveSocket | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private tries = 0;
  /** Ends the reading of pages that belong to an older snapshot. */
  private paging: AbortController | null = null;

  constructor(private readonly options: LiveClientOptions) {
    this.known = new LiveState(options.topics ?? []);
    this.address = new URL('/api/v1/live', options.url);
    this.socketClass = socketClass(options.WebSocket);
    this.fetch = options.fetch ?? ((...call) => globalThis.fetch(...call));
    if (options.since !== undefined) this.known.cursor = options.since;
    this.timer = setTimeout(() => this.connect());
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
    this.end('closed');
  }

  private connect(): void {
    this.become('connecting', 'connecting');
    if (this.isClosed()) return;
    const url = new URL(this.address);
    url.protocol = url.protocol.replace(/^http/, 'ws');
    url.searchParams.set('version', String(LIVE_VERSION));
    const { topics = [] } = this.options;
    if (topics.length > 0) url.searchParams.set('topics', topics.join(','));
    const { cursor } = this.known;
    if (cursor !== null) url.searchParams.set('since', `${cursor.epoch}.${cursor.sequence}`);
    const socket = openSocket(this.socketClass, url.href, this.options.token);
    this.socket = socket;
    let opened = false;
    socket.addEventListener('open', () => {
      opened = true;
    });
    socket.addEventListener('message', (event) => {
      if (this.socket === socket) this.receive(String((event as { readonly data?: unknown }).data));
    });
    // A close should follow an error; Node 22 tells of a refused handshake by an error alone.
    socket.addEventListener('error', () => {
      this.timer = setTimeout(() => this.lost(socket, opened, {}), ERROR_MS);
    });
    socket.addEventListener('close', (event) => this.lost(socket, opened, event));
  }

  private lost(socket: LiveSocket, opened: boolean, event: { code?: number; reason?: string }): void {
    if (this.socket !== socket) return;
    clearTimeout(this.timer);
    this.socket = null;
    if (event.code === LIVE_CLOSE.signed_out) this.end('signed out');
    else if (opened) this.retry(event.reason || 'the connection was lost');
    else void this.askWhy();
  }

  private receive(text: string): void {
    const message = JSON.parse(text) as LiveMessage;
    if (message.type === 'snapshot' && message.version !== LIVE_VERSION) {
      this.end(`core speaks version ${message.version} of the live feed, this client ${LIVE_VERSION}`);
      return;
    }
    const known = this.known.cursor !== null;
    const before = message.type === 'run' ? (this.known.runs.get(message.run.run_id) ?? null) : null;
    const applied = this.known.apply(message);
    if (applied === 'gap') {
      this.lose('numbers are missing');
      return;
    }
    this.tries = 0;
    if (this.state !== 'live') this.become('live', 'live');
    if (message.type === 'snapshot') this.tellSnapshot(message.reset || known);
    if (message.type === 'run' && applied === 'run') {
      const open = this.known.runs.has(message.run.run_id);
      this.emitter.emit('run', { run: message.run, before, open });
    }
    if (message.type !== 'run') this.emitter.emit('guard', this.known.guard);
  }

  private tellSnapshot(reset: boolean): void {
    const { complete } = this.known;
    this.emitter.emit('snapshot', { runs: [...this.known.runs.values()], reset, complete });
    this.paging?.abort();
    this.paging = complete ? null : new AbortController();
    if (this.paging !== null) void this.readPages(this.paging.signal);
  }

  /** The open runs that the snapshot had no room for. Goes on across lost connections, and ends with a new snapshot. */
  private async readPages(signal: AbortSignal): Promise<void> {
    const queries = this.known.queries();
    let cursor: string | null = null;
    for (let failures = 0; !signal.aborted; ) {
      const url = new URL('/api/v1/runs', this.address);
      for (const [name, value] of queries[0] ?? []) url.searchParams.set(name, value);
      url.searchParams.set('limit', String(PAGE));
      if (cursor !== null) url.searchParams.set('cursor', cursor);
      try {
        const response = await this.ask(url, signal);
        if (!response.ok) throw new Error(`core answered ${response.status}`);
        const page = (await response.json()) as { runs: RunSummary[]; next: string | null };
        if (signal.aborted) return;
        if (page.next === null) queries.shift();
        this.known.fill(page.runs, queries.length === 0);
        if (queries.length === 0)
          return this.emitter.emit('complete', { runs: [...this.known.runs.values()] });
        cursor = page.next;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, this.pause(failures++)));
      }
    }
  }

  /** A refused handshake tells a browser nothing, so the same is asked by plain HTTP. */
  private async askWhy(): Promise<void> {
    let why = 'core does not answer';
    try {
      const url = new URL(this.address);
      url.searchParams.set('version', String(LIVE_VERSION));
      const response = await this.ask(url, AbortSignal.timeout(10_000));
      const { detail, path } = (await response.json()) as { detail?: string; path?: string };
      if (response.status === 401 || response.status === 403) return this.end(detail ?? 'signed out');
      if (path === 'version') return this.end(detail ?? 'core speaks another version');
      if (response.status >= 500) why = detail ?? why;
    } catch {
      // It does not answer: that is what is said.
    }
    this.retry(why);
  }

  private ask(url: URL, signal: AbortSignal): Promise<Response> {
    const { token } = this.options;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return this.fetch(url.href, { headers, signal, credentials: 'same-origin' });
  }

  private lose(why: string): void {
    const { socket } = this;
    this.socket = null;
    socket?.close();
    this.retry(why);
  }

  private retry(why: string): void {
    if (this.state === 'closed') return;
    const ms = this.pause(this.tries++);
    this.timer = setTimeout(() => this.connect(), ms);
    this.become('waiting', `${why}; trying again in ${Math.max(1, Math.round(ms / 1_000))} s`);
  }

  private pause(tries: number): number {
    const pauses = this.options.pausesMs ?? PAUSES_MS;
    const ms = pauses[Math.min(tries, pauses.length - 1)] ?? 1_000;
    return ms * (1 + JITTER * (2 * Math.random() - 1));
  }

  private end(detail: string): void {
    if (this.state === 'closed') return;
    clearTimeout(this.timer);
    this.paging?.abort();
    const { socket } = this;
    this.socket = null;
    socket?.close();
    this.become('closed', detail);
  }

  /** Listeners may close the client while they are told. */
  private isClosed(): boolean {
    return this.state === 'closed';
  }

  private become(state: ConnectionState, detail: string): void {
    this.state = state;
    this.emitter.emit('state', { state, detail });
  }
}
