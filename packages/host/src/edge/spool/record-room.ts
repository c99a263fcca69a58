/** Holds a few hundred typical crashes. */
const ROOM_BYTES = 1024 * 1024;
/** Larger records get a buffer of their own. */
const LARGEST = ROOM_BYTES / 8;
/** Buffers kept for reuse once all their records are written. */
const MAX_SPARE = 4;

interface Room {
  readonly bytes: Buffer;
  used: number;
  /** Records not yet written. */
  waiting: number;
}

/** A record in memory. */
export interface Placed {
  readonly bytes: Buffer;
  /** Call once, when the bytes are no longer needed. */
  readonly leave: () => void;
}

export interface RecordRoom {
  /** Gives `write` at least `most` bytes and keeps as many as it returns. */
  place(most: number, write: (bytes: Buffer, at: number) => number): Placed;
}

/** Places records next to each other in reused buffers until they are written. */
export function createRecordRoom(): RecordRoom {
  const spare: Room[] = [];
  const begin = (): Room => spare.pop() ?? { bytes: Buffer.allocUnsafeSlow(ROOM_BYTES), used: 0, waiting: 0 };
  let current = begin();
  const left = (room: Room) => {
    room.waiting--;
    if (room.waiting > 0) return;
    room.used = 0;
    if (room !== current && spare.length < MAX_SPARE) spare.push(room);
  };
  return {
    place(most, write) {
      if (most > LARGEST) {
        const own = Buffer.allocUnsafeSlow(most);
        return { bytes: own.subarray(0, write(own, 0)), leave: () => {} };
      }
      if (current.used + most > ROOM_BYTES) current = begin();
      const room = current;
      const length = write(room.bytes, room.used);
      const bytes = room.bytes.subarray(room.used, room.used + length);
      room.used += length;
      room.waiting++;
      return { bytes, leave: () => left(room) };
    },
  };
}
