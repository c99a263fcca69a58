/** Room that is kept; a text that is longer still gets room of its own. */
const MOST_KEPT = 1_048_576;

interface Room {
  readonly bytes: Buffer;
  readonly units: Uint16Array;
}

/** `utf16le` is what `Uint16Array` reads on all machines that Node runs on, but for one. */
const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/**
 * Gives a text's UTF-16 code units, and a 0 after them, to be read before the next call of the same function. Reading
 * them from there costs a third of `charCodeAt`, and all texts of a document are scanned.
 */
export function createUnits(): (text: string) => Uint16Array {
  let kept = roomFor(65_536);
  return (text) => {
    const { length } = text;
    if (length > MOST_KEPT) return copy(text, roomFor(length));
    if (length >= kept.units.length) kept = roomFor(2 ** Math.ceil(Math.log2(length)));
    return copy(text, kept);
  };
}

function roomFor(length: number): Room {
  const bytes = Buffer.alloc((length + 1) * 2);
  return { bytes, units: new Uint16Array(bytes.buffer, bytes.byteOffset, length + 1) };
}

function copy(text: string, { bytes, units }: Room): Uint16Array {
  if (LITTLE_ENDIAN) bytes.write(text, 'utf16le');
  else for (let index = 0; index < text.length; index++) units[index] = text.charCodeAt(index);
  units[text.length] = 0;
  return units;
}
