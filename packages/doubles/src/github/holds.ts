import type { Hold } from './options.js';

export interface HeldRequest {
  readonly method: string;
  readonly path: string;
  readonly when: Hold['when'];
}

/** Requests that are held until they are released. */
export class Holds {
  private readonly waiting: { hold: Hold; left: number }[] = [];
  private held: { request: HeldRequest; go: () => void }[] = [];
  private watchers: (() => void)[] = [];

  add(hold: Hold): void {
    this.waiting.push({ hold, left: hold.times ?? 1 });
  }

  /** Resolves at once, or when a matching hold is released. */
  async pass(request: HeldRequest): Promise<void> {
    const at = this.waiting.findIndex(
      ({ hold }) =>
        hold.when === request.when &&
        (hold.method === undefined || hold.method === request.method) &&
        (hold.path === undefined || request.path.includes(hold.path)),
    );
    const found = this.waiting[at];
    if (!found) return;
    found.left -= 1;
    if (found.left <= 0) this.waiting.splice(at, 1);
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
    this.waiting.length = 0;
    const going = this.held;
    this.held = [];
    for (const { go } of going) go();
    return going.length;
  }
}
