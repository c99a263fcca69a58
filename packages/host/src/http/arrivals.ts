import { CulpritError } from '@culprit/core';

/**
 * What a request's head proves about its sender: nothing, that it has a public key, or that it has a secret. Requests of
 * trusted senders are not counted here.
 */
export type Proof = 'none' | 'public' | 'trusted';

/** Limits of requests that are still arriving and whose sender is not trusted; read for each request. */
export interface ArrivalLimits {
  /** Requests of all addresses. */
  readonly requests: number;
  /** Requests of one address. */
  readonly addressRequests: number;
  /** Bytes in memory, by proof: of one address, apart from its one large body, and of all addresses. */
  readonly bytes: Readonly<
    Record<Exclude<Proof, 'trusted'>, { readonly address: number; readonly all: number }>
  >;
}

/** A request that is arriving. */
export interface Visitor {
  /** The network that counts as one client. */
  readonly address: string;
  /** Called at most once, and only if the request takes more than one read. */
  proof(): Proof;
  refuse(reason: CulpritError): void;
  pause(): void;
  resume(): void;
}

export interface Arrival {
  /** Counts bytes that stay in memory until {@link Arrival.leave}. May refuse or pause this request or others. */
  keep(bytes: number): void;
  /** The request is complete, refused or gone. */
  leave(): void;
}

/** Which limit made a request give way. */
export type ArrivalLimit = 'address' | 'all' | Exclude<Proof, 'trusted'>;

export interface ArrivalFigures {
  /** Requests that are arriving. */
  readonly now: number;
  readonly allowed: number;
  /** Requests that gave way: to others of their address, to all, or for the bytes of their kind. */
  readonly refused: Readonly<Record<ArrivalLimit, number>>;
  /** Peaks: requests of one address, requests of all, and bytes in memory by proof. */
  readonly largest: Readonly<Record<ArrivalLimit, number>>;
  /** Peak of the bytes without proof of one address, apart from its one large body. */
  readonly largestShare: number;
}

export interface Arrivals {
  enter(visitor: Visitor): Arrival;
  figures(): ArrivalFigures;
}

type Counted = Exclude<Proof, 'trusted'>;

class Guest implements Arrival {
  /** `null` until it is needed. */
  proof: Proof | null = null;
  bytes = 0;
  paused = false;

  constructor(
    readonly visitor: Visitor,
    readonly client: Client,
    private readonly acts: { keep(guest: Guest, bytes: number): void; release(guest: Guest): void },
  ) {}

  keep(bytes: number): void {
    this.acts.keep(this, bytes);
  }

  leave(): void {
    this.acts.release(this);
  }
}

interface Client {
  /** In the order of arrival. */
  readonly guests: Set<Guest>;
  readonly bytes: Record<Counted, number>;
  /** The one body that may be longer than the address's share. The others wait for it. */
  readonly large: Record<Counted, Guest | null>;
}

/**
 * Counts what arrives from senders who are not trusted. A newcomer is never refused: where there is no room, the oldest
 * unfinished request of the address with the most gives way. Honest requests arrive within milliseconds, so that only
 * slow ones are the oldest.
 */
export function createArrivals(limits: () => ArrivalLimits): Arrivals {
  const clients = new Map<string, Client>();
  const bytes: Record<Counted, number> = { none: 0, public: 0 };
  const refused: Record<ArrivalLimit, number> = { address: 0, all: 0, none: 0, public: 0 };
  const largest: Record<ArrivalLimit, number> = { address: 0, all: 0, none: 0, public: 0 };
  let largestShare = 0;
  /** One without guests and bytes, for the next address: most requests arrive at once, alone. */
  let spare: Client | null = null;
  let now = 0;
  let allowed = 0;

  const isTrusted = (guest: Guest) => {
    guest.proof ??= guest.visitor.proof();
    return guest.proof === 'trusted';
  };
  const release = (guest: Guest) => {
    const { client, visitor } = guest;
    if (!client.guests.delete(guest)) return;
    now--;
    if (client.guests.size === 0) {
      clients.delete(visitor.address);
      spare = client;
    }
    const { proof } = guest;
    if (proof === null || proof === 'trusted') return;
    client.bytes[proof] -= guest.bytes;
    bytes[proof] -= guest.bytes;
    if (client.large[proof] === guest) client.large[proof] = null;
    if (client.guests.size > 0) goOn(client, proof);
  };
  /** Resumes the requests for which there is room now, the oldest first. */
  const goOn = (client: Client, proof: Counted) => {
    for (const guest of client.guests) {
      if (!guest.paused || guest.proof !== proof || !hasRoom(guest, proof)) continue;
      guest.paused = false;
      guest.visitor.resume();
    }
  };
  const hasRoom = (guest: Guest, proof: Counted) => {
    const { client } = guest;
    if (client.large[proof] === guest || shareOf(client, proof) <= limits().bytes[proof].address) return true;
    if (client.large[proof] !== null) return false;
    client.large[proof] = guest;
    return true;
  };
  /** Refuses the client's oldest request; those before it that are trusted no longer count. */
  const giveWay = ({ guests }: Client, limit: ArrivalLimit) => {
    for (const guest of [...guests]) {
      const stays = isTrusted(guest);
      release(guest);
      if (stays) continue;
      refused[limit]++;
      guest.visitor.refuse(tooMany());
      return;
    }
  };
  const busiest = (weight: (client: Client) => number): Client | undefined => {
    let found: Client | undefined;
    for (const client of clients.values()) {
      if (found === undefined || weight(client) > weight(found)) found = client;
    }
    return found;
  };
  const makeRoom = (limit: ArrivalLimit, isFull: () => boolean, weight: (client: Client) => number) => {
    while (isFull()) {
      const client = busiest(weight);
      if (client === undefined) return;
      giveWay(client, limit);
    }
  };
  const keep = (guest: Guest, count: number) => {
    const { client } = guest;
    if (count === 0 || !client.guests.has(guest)) return;
    if (isTrusted(guest)) return release(guest);
    const proof = guest.proof as Counted;
    guest.bytes += count;
    client.bytes[proof] += count;
    bytes[proof] += count;
    largest[proof] = Math.max(largest[proof], bytes[proof]);
    makeRoom(
      proof,
      () => bytes[proof] > limits().bytes[proof].all,
      (each) => each.bytes[proof],
    );
    if (!client.guests.has(guest)) return;
    if (!guest.paused && !hasRoom(guest, proof)) {
      guest.paused = true;
      guest.visitor.pause();
    }
    if (proof === 'none') largestShare = Math.max(largestShare, shareOf(client, proof));
  };
  const acts = { keep, release };
  return {
    enter(visitor) {
      const known = clients.get(visitor.address);
      const client = known ?? spare ?? newClient();
      if (known === undefined) {
        spare = null;
        clients.set(visitor.address, client);
      }
      const guest = new Guest(visitor, client, acts);
      client.guests.add(guest);
      now++;
      allowed++;
      largest.all = Math.max(largest.all, now);
      largest.address = Math.max(largest.address, client.guests.size);
      const { requests, addressRequests } = limits();
      while (client.guests.size > addressRequests) giveWay(client, 'address');
      if (now > requests) {
        makeRoom(
          'all',
          () => now > requests,
          ({ guests }) => guests.size,
        );
      }
      return guest;
    },
    figures: () => ({ now, allowed, refused: { ...refused }, largest: { ...largest }, largestShare }),
  };
}

const newClient = (): Client => ({
  guests: new Set<Guest>(),
  bytes: { none: 0, public: 0 },
  large: { none: null, public: null },
});

/** Bytes of a client, apart from its one large body. */
const shareOf = ({ bytes, large }: Client, proof: Counted) => bytes[proof] - (large[proof]?.bytes ?? 0);

const tooMany = () =>
  new CulpritError('overloaded', 'Too many unfinished requests. Send each request without pauses.');
