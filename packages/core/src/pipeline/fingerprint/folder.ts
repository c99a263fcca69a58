import type { Frame } from '../../domain/event.js';
import { boundedMap } from '../../resilience/bounded-map.js';
import { platformFamily } from '../normalise/platform-family.js';

/**
 * What tells a frame's place from others of the same file and function name: the package of a class (Java, .NET), the name of a
 * library, otherwise the folder that holds the file. Equal for every form, release and machine, or empty if this form
 * does not tell.
 */
export function folderOf(frame: Frame, platform: string): string {
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
const MOST_CHARS = 500;

function ofPath({ abs_path, file }: Frame): string {
  const path = abs_path ?? file ?? '';
  if (path.length > MOST_CHARS) return folderOfPath(path);
  const known = KNOWN_PATHS.get(path);
  if (known !== undefined) return known.folder;
  const folder = folderOfPath(path);
  KNOWN_PATHS.set(path, { folder });
  return folder;
}

const LIBRARIES =
  /^.*\/(?:node_modules|site-packages|dist-packages|gems|vendor)\/(?:\.pnpm\/[^/]+\/node_modules\/)?((?:@[^/]+\/)?[^/]+)\/.*$/s;
/** What each release, build or deployment names anew: everything up to it is where the project happens to be. */
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
export function folderOfPath(path: string): string {
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
