import type { CrashException, Event, Frame } from '../../domain/event.js';
import type { Traits } from '../../domain/group.js';
import { boundedMap } from '../../resilience/bounded-map.js';
import { sha256Hex } from '../hash.js';
import { platformFamily } from '../normalise/platform-family.js';
import { isNamelessType } from '../normalise/title-of.js';
import type { Basis, Place } from './basis.js';
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
  const fixed = [...folders, ...kinds].slice(-MAX_TRAITS).map(short);
  return { fixed, line: short(line), build: short(build) };
}

/** Traits that count: the types, and the folders of the newest places. */
const MAX_TRAITS = 64;
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

/** The words of a message, without quoted texts, paths and words with a digit. */
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

/**
 * What distinguishes a frame's place from others of the same file and function name: the package of a class (Java, .NET), the name of a
 * library, otherwise the folder that holds the file. Equal for every form, release and machine, or empty if this form
 * does not tell.
 */
function folderOf(frame: Frame, platform: string): string {
  const { module } = frame;
  switch (platformFamily(frame.platform ?? platform)) {
    case 'java':
      return qualifier((module ?? '').replace(/\$.*$/s, ''));
    case 'csharp':
      return qualifier(typeOf(frame));
    case 'native':
      return '';
    case 'python':
      return (
        ofPath(frame) ||
        qualifier(module ?? '')
          .replace(/^.*\./s, '')
          .toLowerCase()
      );
    case 'go':
      return ofPath(frame) || (module === 'main' ? '' : (module ?? '').replace(/^.*\//s, '').toLowerCase());
    default:
      return ofPath(frame);
  }
}

/** All but the last name. */
function qualifier(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('.')));
}

/** The class without its assembly, nested classes and type arguments. A platform may name it with the method only. */
function typeOf({ module, function: name }: Frame): string {
  const called = (name ?? '').replace(/\(.*$/s, '').replace(/^.* /, '');
  return (module ?? qualifier(called)).replace(/[,+/`<].*$/s, '').replace(/\.$/, '');
}

/** Paths repeat from crash to crash. */
const KNOWN_PATHS = boundedMap<string, { readonly folder: string }>(4_000);
const MAX_CHARS = 500;

function ofPath({ abs_path, file }: Frame): string {
  const path = abs_path ?? file ?? '';
  if (path.length > MAX_CHARS) return folderOfPath(path);
  const known = KNOWN_PATHS.get(path);
  if (known !== undefined) return known.folder;
  const folder = folderOfPath(path);
  KNOWN_PATHS.set(path, { folder });
  return folder;
}

const LIBRARIES =
  /^.*\/(?:node_modules|site-packages|dist-packages|gems|vendor)\/(?:\.pnpm\/[^/]+\/node_modules\/)?((?:@[^/]+\/)?[^/]+)\/.*$/s;
/** What each release, build or deployment names differently: everything up to it is where the project happens to be. */
const RELEASE =
  /^(?:current|\d[\d._-]{3,}|v?\d+(?:\.\d+)+(?:[-+.].*)?|(?=[a-f]*\d)[\da-f]{7,64}|[\da-f]{8}-[\da-f-]{27}|(?:build|release|deploy|rev)[-_.]?\d+)$/;
/** Folders that only sort a project's files; the same file may be in one or another, or in none. */
const PLAIN =
  /^(?:src|lib|libs|dist|build|out|bin|obj|app|source|sources|public|static|assets|scripts|js|chunks|_next|main|internal|pkg|cmd)$/;
/** The folders below these have names of their own. */
const PARTS = /^(?:packages|apps|services|modules|plugins|functions|lambdas|components|libs)$/;
/** Route parameters and groups, as `[id]`, `(shop)`, `:id` and `12`. */
const VARIABLE = /^(?:[[({:$].*|\d+|\.)$/;
/** How many names of an absolute path are the place of the project on a machine, by the first ones. */
const ROOTS: readonly (readonly [start: RegExp, names: number])[] = [
  [/^home\/runner\/work\//, 5],
  [/^(?:home|users|builds|__w|var\/www|usr\/src|inetpub\/wwwroot|a)\//, 3],
  [/^(?:srv|opt|mnt|data|tmp|root|workspaces?|var|usr|vercel|private|volumes)\//, 2],
];

/** The last folder of a path that says something, in lower case; empty for a file at the root of its project. */
function folderOfPath(path: string): string {
  const plain = path
    .replace(/[?#].*$/s, '')
    .replaceAll('\\', '/')
    .toLowerCase();
  const library = LIBRARIES.exec(plain)?.[1];
  if (library !== undefined) return library.replace(/[-@]v?\d[\w.+-]*$/, '');
  const address = /^[a-z][\w+.-]*:\/\/[^/]*/.exec(plain)?.[0] ?? '';
  const local = plain.slice(address.length).replace(/^[a-z]:(?=\/)/, '');
  const names = local.split('/').filter((name) => name !== '' && name !== '.');
  names.pop();
  const absolute = local.startsWith('/') && (address === '' || address === 'file://');
  const root = absolute ? rootOf(`${names.join('/')}/`) : 0;
  const release = names.findLastIndex((name) => RELEASE.test(name)) + 1;
  return named(names.slice(Math.max(root, release)));
}

function rootOf(folders: string): number {
  return ROOTS.find(([start]) => start.test(folders))?.[1] ?? 1;
}

function named(folders: readonly string[]): string {
  const at = folders.findLastIndex((name) => !VARIABLE.test(name));
  const last = folders[at] ?? '';
  // Go names the version of a library in its folder.
  if (!PLAIN.test(last)) return last.replace(/@v\d.*$/s, '');
  return PARTS.test(folders[at - 2] ?? '') ? (folders[at - 1] ?? '') : '';
}
