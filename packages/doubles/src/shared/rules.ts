/** Which requests a rule is about, and how often it is used. */
interface Match {
  readonly method?: string;
  /** Part of the path. */
  readonly path?: string;
  /** How many times; default once. */
  readonly times?: number;
}

/** A fault for matching requests. The first match in order is used, `times` times. */
export interface Fault extends Match {
  readonly kind:
    | 'status'
    | 'reset-before'
    | 'reset-after'
    | 'hang'
    | 'hang-after'
    | 'slow'
    | 'garbage'
    | 'expired-token'
    | 'graphql-errors'
    | 'graphql-unknown-error'
    | 'graphql-rate-limited'
    | 'graphql-resource-limits'
    | 'graphql-partial';
  /** With `status`. On GitHub 403 and 429 read as secondary limits. */
  readonly status?: number;
  /** Seconds. */
  readonly retryAfter?: number;
  /** With `status` and `graphql-unknown-error`: replaces the host's usual message. */
  readonly message?: string;
  /** With `slow`: milliseconds of the double's time, after which the request takes effect. */
  readonly ms?: number;
  /** With `status`: the request takes effect first. */
  readonly afterEffect?: boolean;
}

/** A matching request is held until it is released, so that clients can be killed around it. */
export interface Hold extends Match {
  /** `before`: nothing has happened. `after`: the request took effect (or its fault prevented that), but no response was sent. */
  readonly when: 'before' | 'after';
}

export interface HeldRequest {
  readonly method: string;
  readonly path: string;
  readonly when: Hold['when'];
}

/** Rules that wait for matching requests, in order. */
class Rules<Rule extends Match> {
  private readonly waiting: { readonly rule: Rule; left: number }[] = [];

  add(rule: Rule): void {
    this.waiting.push({ rule, left: rule.times ?? 1 });
  }

  clear(): void {
    this.waiting.length = 0;
  }

  /** The rule of this request; uses up one of its times. */
  take(method: string, path: string, fits: (rule: Rule) => boolean = () => true): Rule | null {
    const at = this.waiting.findIndex(
      ({ rule }) =>
        fits(rule) &&
        (rule.method === undefined || rule.method === method) &&
        (rule.path === undefined || path.includes(rule.path)),
    );
    const found = this.waiting[at];
    if (!found) return null;
    found.left -= 1;
    if (found.left <= 0) this.waiting.splice(at, 1);
    return found.rule;
  }
}

export class Faults extends Rules<Fault> {}

/** True if the request takes effect and only its response is lost or bad. */
export function takesEffect({ kind, afterEffect }: Fault): boolean {
  return afterEffect === true || ['reset-after', 'hang-after', 'slow', 'graphql-partial'].includes(kind);
}

/** True if the connection is cut, or stays open, without a response. */
export function isCut({ kind }: Fault): boolean {
  return kind.startsWith('reset') || kind.startsWith('hang');
}

/** Requests that are held until they are released. */
export class Holds extends Rules<Hold> {
  private held: { readonly request: HeldRequest; readonly go: () => void }[] = [];
  private watchers: (() => void)[] = [];

  /** Resolves at once, or when a matching hold is released. */
  async pass(request: HeldRequest): Promise<void> {
    const hold = this.take(request.method, request.path, ({ when }) => when === request.when);
    if (hold === null) return;
    await new Promise<void>((resolve) => {
      this.held.push({ request, go: resolve });
      for (const watcher of this.watchers.splice(0)) watcher();
    });
  }

  /** The requests held now, as soon as there is one; empty after `ms` of real time. */
  async seen(ms: number): Promise<readonly HeldRequest[]> {
    if (this.held.length === 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.watchers.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    return this.held.map(({ request }) => request);
  }

  /** Releases all held requests and removes pending holds. Returns how many were released. */
  release(): number {
    this.clear();
    const going = this.held.splice(0);
    for (const { go } of going) go();
    return going.length;
  }
}
