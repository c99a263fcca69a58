import type { CrashException, Event } from '../../domain/event.js';
import type { Traits } from '../../domain/group.js';
import { sha256Hex } from '../hash.js';
import { platformFamily } from '../normalise/platform-family.js';
import { isNamelessType } from '../normalise/title-of.js';
import type { Basis, Place } from './basis.js';
import { folderOf } from './folder.js';
import { parameterise } from './parameterise.js';

/** What a crash has beside its basis, in words. */
export interface Words {
  /** One for each exception that counts: its type, or the shape of its message if the type says nothing. */
  readonly kinds: readonly string[];
  /** One for each place. */
  readonly folders: readonly string[];
  readonly line: string;
}

export function wordsOf(event: Event, { strategy, stacks, thrown }: Basis): Words {
  if (strategy !== 'stack')
    return { kinds: strategy === 'message' ? [kindOf(thrown)] : [], folders: [], line: '' };
  const places = stacks.flatMap((stack) => stack.places);
  return {
    kinds: stacks.map(({ exception }) => kindOf(exception)),
    folders: places.map(({ frame }) => folderOf(frame, event.platform)),
    line: lineOf(places.at(-1), event.platform),
  };
}

/** The words as hashes: what is stored of them names nobody. */
export function traitsOf({ kinds, folders, line }: Words, build: string): Traits {
  const fixed = [...folders, ...kinds].slice(-MOST_TRAITS).map(short);
  return { fixed, line: short(line), build: short(build) };
}

/** Traits that count: the types, and the folders of the newest places. */
const MOST_TRAITS = 64;
const HASH_CHARS = 10;

/** A short hash; the empty text stays empty. */
function short(text: string): string {
  return text === '' ? '' : sha256Hex(text).slice(0, HASH_CHARS);
}

/**
 * `exception TypeError`. Only the name itself, because raw text qualifies it and others do not. Go reports most errors with the
 * stack of the place that reports them and a type that says nothing, so their message counts, without what varies.
 */
function kindOf(exception: CrashException | undefined): string {
  const type = exception?.type ?? '';
  if (exception === undefined || exception.synthetic || MADE_UP.test(type)) return '';
  if (isNamelessType(type)) {
    const shape = shapeOf(exception.value ?? '');
    return shape === '' ? '' : `message ${shape}`;
  }
  const bare = type.replace(/ \[[^\]]*\]$/, '').replace(/[`<(].*$/s, '');
  const name = bare.slice(Math.max(...['.', '\\', ':', '/', '*'].map((mark) => bare.lastIndexOf(mark))) + 1);
  // A name of one or two letters was made by a minifier, and is another one in the next build.
  return name.length > 2 ? `exception ${name}` : '';
}

/** Types that the parser of raw text or a client made up. */
const MADE_UP = /^(?:|panic|fatal error|unknown|unhandled)$/i;

/** The words of a message: without quoted texts, paths and whatever holds a digit. */
function shapeOf(message: string): string {
  return parameterise(message.split('\n', 1)[0] ?? '')
    .replace(/"[^"]{0,300}"|'[^']{0,300}'|`[^`]{0,300}`/g, '<text>')
    .replace(/[^\s,;:()]*[\d/\\][^\s,;:()]*/g, '<part>')
    .slice(0, 200)
    .toLowerCase();
}

/** Platforms whose clients send the source as it ran; the same as Sentry's. */
const SOURCED: ReadonlySet<string | null> = new Set(['javascript', 'python', 'php', 'ruby']);
/** A longer line is a bundler's. */
const LINE_CHARS = 120;

function lineOf(place: Place | undefined, platform: string): string {
  const { context_line: line, platform: own } = place?.frame ?? {};
  if (!line || line.length > LINE_CHARS || !SOURCED.has(platformFamily(own ?? platform))) return '';
  const text = line.replace(/\s+/g, ' ').trim();
  // Clients cut long lines to the part that crashed.
  return text.includes('{snip}') ? '' : text;
}
