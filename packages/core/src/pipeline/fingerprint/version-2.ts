import type { CrashException } from '../../domain/event.js';
import { platformFamily } from '../normalise/platform-family.js';
import { type Place, THEN } from './basis.js';
import type { Fingerprints } from './fingerprints-of.js';
import { reach } from './frame-key.js';
import { hashOf, isOnlyCustom, type Reading, sentParts } from './reading.js';
import { traitsOf, type Words } from './traits.js';

const VERSION = 'v2';
type Limit = ReturnType<typeof reach>;

/**
 * The basis names the family of a crash: where it happened, in every form the same. Types, folders and the source line are its
 * traits, which tell the incidents of a family apart as far as a form has them. A fingerprint set by the sender alone has no
 * family. See `docs/decisions/0071-fingerprint-v2.md`.
 */
export function version2({ basis, words, build, sent }: Reading): Omit<Fingerprints, 'aliases'> {
  const shown = partsOf(basis, words);
  const custom = sentParts(sent, shown);
  const parts = custom ?? shown;
  const strategy = custom === null ? basis.strategy : 'custom';
  const fingerprint = { version: VERSION, hash: hashOf(VERSION, strategy, parts), parts };
  if (isOnlyCustom(sent)) return { fingerprint, family: undefined };
  const name = hashOf(VERSION, `family ${strategy}`, sentParts(sent, basis.parts) ?? basis.parts);
  return { fingerprint, family: { name, traits: traitsOf(words, build) } };
}

/** The basis and the traits, for display: `exception TypeError`, `frame orders/route.js GET`, `line return total.x`. */
function partsOf({ strategy, parts }: Reading['basis'], { kinds, folders, line }: Words): readonly string[] {
  const kindAt = (at: number) => (kinds[at] ? [kinds[at]] : []);
  if (strategy !== 'stack') return [...kindAt(0), ...parts];
  let [stack, place] = [0, 0];
  const shown = parts.flatMap((part) => {
    if (part === THEN) return [part, ...kindAt(++stack)];
    const folder = folders[place++];
    return [folder ? `frame ${folder}/${part.slice('frame '.length)}` : part];
  });
  return [...kindAt(0), ...shown, ...(line === '' ? [] : [`line ${line}`])];
}

/** Each place once, in the order of its last call: recursion of any shape and depth is the same. */
export function places2(
  keyed: readonly Place[],
  exception: CrashException,
  platform: string,
): readonly Place[] {
  const script = platformFamily(platform) === 'javascript';
  const own = script ? ofScript(keyed, exception) : keyed;
  const limit = reach(platform);
  const last = new Map(own.map(({ key }, at) => [key, at]));
  const once = own.filter(({ key }, at) => last.get(key) === at).slice(-limit.places);
  return script ? withoutCut(own, once, exception.frames.length, limit) : once;
}

/** What compilers add to the stack of an asynchronous function, and what of it is hardly a name of anybody's own. */
const HELPER =
  /^(?:Object\.|Generator\.)?(?:__awaiter|__async|__generator|asyncGeneratorStep|_asyncToGenerator|fulfilled|rejected|step|next|tryCatch|invoke|_next|_throw)$/;
const SURE_HELPER = /^(?:__awaiter|__async|asyncGeneratorStep|_asyncToGenerator|fulfilled|rejected)$/;

/** Without the helpers of compiled asynchronous functions. A chunk that a bundler named by a number or hash has no name. */
function ofScript(keyed: readonly Place[], { frames }: CrashException): readonly Place[] {
  const compiled = frames.some((frame) => SURE_HELPER.test(frame.function ?? ''));
  const written = compiled ? keyed.filter(({ frame }) => !HELPER.test(frame.function ?? '')) : keyed;
  return (written.length > 0 ? written : keyed).map(({ key, frame }) => ({
    key: key.replace(/^(?:\d+|[0-9a-f]{8,64})(?=(?:\.chunk)?\.m?js\b)/, 'chunk'),
    frame,
  }));
}

/**
 * V8 prints ten frames, of which recursion may leave few or none to its callers. Then these do not count: the next crash may be
 * one call deeper. An anonymous function has no name after its file's, and may be another one.
 */
function withoutCut(places: readonly Place[], once: readonly Place[], frames: number, limit: Limit) {
  if (frames < limit.frames || once.length >= limit.places) return once;
  const count = new Map<string, number>();
  for (const { key } of places) count.set(key, (count.get(key) ?? 0) + 1);
  const repeated = ({ key }: Place) => key.includes(' ') && (count.get(key) ?? 0) > 1;
  const first = places.findIndex(repeated);
  const called = new Set(places.slice(Math.max(0, first)).map(({ key }) => key));
  return first < 0 ? once : once.filter(({ key }) => called.has(key));
}
