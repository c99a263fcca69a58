import { createHash } from 'node:crypto';
import { decodeBody, isEncoded, thinBody, type Unpacker, unpackBody } from '@culprit/connectors/sentry';
import { CulpritError, isCulpritError } from '@culprit/core';
import type { RawDelivery } from '@culprit/core/connector';
import type { BodyReader } from '../../http/long-body.js';
import type { RequestHead } from '../../http/message.js';
import { allow } from '../guards/guards.js';
import { admit, hasKeyOutside, NO_BODY } from './decode-delivery.js';
import type { DoorContext, OpenDoor } from './door.js';

/** Bytes as sent of a body whose encoding cannot be decoded in pieces. */
const WHOLE_BYTES = 5 * 1024 * 1024;
/** What such a body may decode to. */
const WHOLE_DECODED_BYTES = 20 * 1024 * 1024;

/** A sender's key is in the first line; no SDK's is longer. */
const START_BYTES = 16 * 1024;

/**
 * Reads a body of the SDK door while it arrives, compressed or not. The credential is checked as soon as it is there, before more is
 * unpacked or read. Decoding is spread over the senders, one piece at a time, so that none waits for the network.
 */
export function sdkBodyReader(context: DoorContext, door: OpenDoor, head: RequestHead): BodyReader {
  const { guards, fairly, brotli = false } = context;
  const { sdkDecodedBytes, eventItemBytes } = guards.limits;
  const encoding = head.headers['content-encoding'];
  const hash = createHash('sha256');
  const whole: Uint8Array[] = [];
  let sent = 0;
  let decoded = 0;
  let unpacker: Unpacker | null | undefined;
  let credential = '';
  let verified = false;
  const verify = (body: Uint8Array) => {
    if (verified) return;
    verified = true;
    credential = admit(door.tracker, { ...head, body }).credential;
  };
  const thin = thinBody(head, { eventBytes: eventItemBytes, started: verify });
  const pass = (part: Uint8Array) => {
    decoded += part.length;
    if (decoded > sdkDecodedBytes) throw tooLarge(sdkDecodedBytes);
    thin.take(part);
    if (decoded > START_BYTES) verify(NO_BODY);
  };
  const read = async (piece: Uint8Array) => {
    if (sent === 0 && hasKeyOutside(head)) verify(NO_BODY);
    sent += piece.length;
    hash.update(piece);
    if (!isEncoded(encoding)) return pass(piece);
    if (unpacker === undefined) unpacker = unpackBody(encoding, piece, { brotli, pass });
    const by = unpacker;
    if (by !== null) return fairly.delivery(credential, () => by.take(piece));
    if (sent > WHOLE_BYTES) throw tooLarge(WHOLE_BYTES);
    whole.push(Buffer.from(piece));
  };
  const unpackWhole = async () => {
    const most = Math.min(WHOLE_DECODED_BYTES, sdkDecodedBytes);
    const bytes = Buffer.concat(whole.splice(0));
    pass(await fairly.delivery(credential, () => decodeBody(bytes, encoding, most, { brotli })));
  };
  const counted = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      // Whatever is wrong with the body, the sender learns first that it has no key.
      verify(NO_BODY);
      const isBody = isCulpritError(error, 'too_large') && error.members.limit !== 'event_item';
      if (isBody) guards.bodyDecoded.sdk.refused++;
      throw error;
    }
  };
  return {
    take: (piece) => counted(() => read(piece)),
    held: () => thin.held() + (unpacker === null ? sent : 0),
    end: () =>
      counted(async () => {
        if (unpacker) await unpacker.end();
        else if (isEncoded(encoding)) await unpackWhole();
        const body = thin.end();
        allow(guards.bodyDecoded.sdk, decoded);
        return { body, sent, sha256: hash.digest('hex') };
      }),
  };
}

const tooLarge = (limit: number) =>
  new CulpritError('too_large', `The body exceeds ${limit} bytes after decoding. Send less.`);

/** Reads a body that has arrived. */
export async function readArrived(reader: BodyReader, { body }: RawDelivery) {
  await reader.take(body);
  return reader.end();
}
