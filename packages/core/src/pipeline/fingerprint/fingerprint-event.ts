import type { CrashException, Event } from '../../domain/event.js';
import type { Fingerprint } from '../../domain/fingerprint.js';
import { canonicalJson } from '../../domain/json.js';
import { sha256Hex } from '../hash.js';
import { guessInApp } from '../normalise/in-app.js';
import { groupingChain } from './chain.js';
import { frameKey, printsCauses, reach } from './frame-key.js';
import { parameterise } from './parameterise.js';

export const FINGERPRINT_VERSION = 'v1';

/**
 * Decides whether two events are the same incident. Invariant: only what every form of a crash contains may count, so
 * that a crash has the same hash as a Sentry event, in the short form and as raw text. With a stack, neither the
 * exception's type (the short form has none) nor its value, module, source or line numbers count, but the places in
 * the project's own code (in all code if it has none), for each exception of the chain in order; for JavaScript only
 * for the outermost error. Without a stack the message counts, without its parameters. A fingerprint set by the sender
 * takes precedence.
 */
export function fingerprintEvent(event: Event): Fingerprint {
  const { strategy, parts } = defaultParts(event);
  const own = event.fingerprint;
  if (own === null || (own.length === 1 && isDefault(own[0]))) return make(strategy, parts);
  // A few characters would stand for thousands of parts, again and again.
  let defaults = 0;
  const custom = own.flatMap((part) => {
    if (!isDefault(part)) return [`custom ${part}`];
    return defaults++ < MOST_DEFAULTS ? parts : [];
  });
  return make('custom', custom);
}

/** Senders write `{{ default }}` once. */
const MOST_DEFAULTS = 2;

function make(strategy: string, parts: readonly string[]): Fingerprint {
  const hash = sha256Hex(canonicalJson([FINGERPRINT_VERSION, strategy, parts]));
  return { version: FINGERPRINT_VERSION, hash, parts };
}

const isDefault = (part: string | undefined) => /^\{\{ ?default ?\}\}$/.test(part ?? '');

function defaultParts(event: Event): { readonly strategy: string; readonly parts: readonly string[] } {
  const known = new Map<CrashException, readonly string[]>();
  const places = (item: CrashException) => {
    const found = known.get(item) ?? placesOf(item, event.platform);
    known.set(item, found);
    return found;
  };
  const head = headsWithin(LIKENESS_CHARS);
  const chain = groupingChain(event.exceptions, (item) => [...places(item), head(item)].join('\n'));
  const stacks = chain.map(places).filter((found) => found.length > 0);
  const counted = printsCauses(event.platform) ? stacks : stacks.slice(-1);
  if (counted.length > 0) {
    const parts = counted.flatMap((stack, index) => (index === 0 ? stack : ['then', ...stack]));
    return { strategy: 'stack', parts };
  }
  const template = event.message_template ?? chain.at(-1)?.value ?? event.message;
  const message = parameterise(withoutType(template ?? ''));
  if (message !== '') return { strategy: 'message', parts: [`message ${message}`] };
  const type = chain.at(-1)?.type ?? null;
  if (type !== null) return { strategy: 'type', parts: [`exception ${type}`] };
  return { strategy: 'place', parts: [`transaction ${event.transaction ?? 'unknown'}`] };
}

/** Characters of a group's messages that are compared without their parameters: those of fifty long messages cost too much. */
const LIKENESS_CHARS = 4_096;

/** The type and message of an exception, without parameters as long as `left` characters suffice. */
function headsWithin(left: number): (item: CrashException) => string {
  let room = left;
  return ({ type, value }) => {
    const text = value ?? '';
    room -= text.length;
    return `${type ?? ''}: ${room < 0 ? text : parameterise(text)}`;
  };
}

/** A message may begin with the type that other forms send separately. */
const withoutType = (message: string) =>
  message.replace(
    /^(?:Uncaught )?[A-Za-z_$][\w$.]{0,200}(?:Error|Exception|Failure|Fault)(?: \[\w{1,64}\])?: /,
    '',
  );

/** The places of the stack, oldest first; consecutive repetitions (recursion) count once. */
function placesOf({ frames }: CrashException, platform: string): readonly string[] {
  const limit = reach(platform);
  const keyed = frames.slice(-limit.frames).flatMap((frame) => {
    const key = frameKey(frame, platform);
    const own = frame.in_app !== false && guessInApp(frame, frame.platform ?? platform) !== false;
    return key === null ? [] : [{ key, own }];
  });
  const own = keyed.filter((place) => place.own);
  const places = (own.length > 0 ? own : keyed).map(({ key }) => `frame ${key}`);
  return places.filter((place, index) => place !== places[index - 1]).slice(-limit.places);
}
