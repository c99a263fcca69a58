import type { Frame } from '../../domain/event.js';
import { type PlatformFamily, platformFamily } from '../normalise/platform-family.js';

/**
 * The key of a frame's place, equal for every form, release, browser and machine: the file's (or class's) name and the
 * function's name, without what compilers and engines add. No line numbers, directories or source text, because some
 * forms lack them. `null`: the frame has nothing stable.
 */
export function frameKey(frame: Frame, platform: string): string | null {
  const family = familyOf(frame.platform ?? platform);
  const place = family.place(frame);
  if (place === false) return null;
  const name = family.name(frame.function ?? '', frame);
  const key = `${place} ${name}`.trim();
  return key === '' ? null : key;
}

interface Family {
  /** The name of the place, empty if unknown; `false`: the frame does not count. */
  readonly place: (frame: Frame) => string | false;
  readonly name: (raw: string, frame: Frame) => string;
}

/** The last segment of a path or URL, lower case, without the query and the bundler's hash. */
export function basename(path: string): string {
  const bare = path.replace(/[?#].*$/s, '').replaceAll('\\', '/');
  const name = bare.slice(bare.lastIndexOf('/') + 1);
  return name
    .replace(/[-._][0-9a-f]{8,64}(?=\.)/gi, '')
    .replace(/-(?=[\w-]{0,7}[\dA-Z])[\w-]{8}(?=\.(?:m?js|css)$)/, '')
    .toLowerCase();
}
const fileName = (frame: Frame) => basename(frame.file ?? frame.abs_path ?? '');
const lastOf = (name: string, separator: string) => name.slice(name.lastIndexOf(separator) + 1);

const javascript: Family = {
  place: (frame) => {
    const file = frame.file ?? frame.abs_path ?? '';
    if (file === '' || /^<anonymous>|^native$|\[native code\]|^index \d/.test(file)) return false;
    if (/^(?:eval|eval code)$/.test(frame.function ?? '')) return false;
    return basename(file);
  },
  name: (raw) => {
    const called = raw
      .replace(/ \[as [^\]]{1,200}\]$/, '')
      .replace(/^(?:async[ *]|new |get |set |static )+/, '');
    if (/\/<|<$/.test(called)) return '';
    const last = lastOf(called, '.');
    return /^(?:\?|<anonymous>|anonymous|<computed>)$/.test(last) ? '' : last;
  },
};
const python: Family = {
  place: fileName,
  name: (raw) => lastOf(raw.replace(/^.{0,400}<locals>\./, ''), '.'),
};
/** The outermost class, after which a Java or Kotlin file is named. */
const java: Family = {
  place: ({ module, file }) => {
    const name = module === null ? basename(file ?? '').replace(/\.[a-z]{1,6}$/, '') : lastOf(module, '.');
    return name
      .replace(/\$.*$/s, '')
      .replace(/^GeneratedMethodAccessor\d+$/, 'GeneratedMethodAccessor')
      .replace(/_javassist_\d+$/, '')
      .replace(/Kt$/, '')
      .toLowerCase();
  },
  name: (raw) =>
    lastOf(raw.replace(/\(.*$/s, ''), '.')
      .replace(/\$\d+(?=\$|$)/g, '')
      .replace(/\$\$(?:Lambda|EnhancerBy|FastClassBy).*$/s, ''),
};
/** Without type arguments. What follows the last `]` holds none; searched there, each `[` would read to the end. */
function withoutBrackets(name: string): string {
  const end = name.lastIndexOf(']') + 1;
  return end === 0 ? name : name.slice(0, end).replace(/\[.*?\]/gs, '') + name.slice(end);
}
const go: Family = {
  place: fileName,
  name: (raw) => {
    const local = lastOf(withoutBrackets(raw), '/');
    return local
      .replace(/\(\*?([\w.]{1,200})\)/g, '$1')
      .replace(/\.func\d+(?:\.\d+)*/g, '.func')
      .replace(/-fm$|-range\d+$|\.gowrap\d+$/g, '')
      .replace(/^[a-z_]\w{0,100}\.(?=\w)/, '');
  },
};
const ruby: Family = {
  place: fileName,
  name: (raw) =>
    /^(?:block|rescue|ensure)\b/.test(raw)
      ? 'block'
      : lastOf(lastOf(raw, '#'), '.').replace(/__\d+_\d+$/, ''),
};
const php: Family = {
  place: fileName,
  name: (raw) => {
    const bare = raw.replace(/\{closure.*$/s, '{closure}').replace(/\(.*$/s, '');
    return lastOf(lastOf(bare.replace('->', '::'), ':'), '\\');
  },
};
/** The class and the method; a state machine or closure counts as the method that contains it. */
const csharp: Family = {
  place: ({ module, function: name, file }) => {
    const called = (name ?? '').replace(/\(.*$/s, '').replace(/^.* /, '');
    const type = module ?? (called.includes('.') ? called.slice(0, called.lastIndexOf('.')) : '');
    const bare = type
      .replace(/,.*$/s, '')
      .replace(/[+/].*$/s, '')
      .replace(/\.<.*$/s, '')
      .replace(/`\d+|<.*$/gs, '');
    return bare === '' ? basename(file ?? '').replace(/\.cs$/, '') : lastOf(bare, '.').toLowerCase();
  },
  name: (raw, { module }) => {
    const made = /<([\w.]{1,200})>[a-z]__/.exec(`${module ?? ''} ${raw}`)?.[1];
    const called =
      made ??
      raw
        .replace(/\(.*$/s, '')
        .replace(/^.* /, '')
        .replace(/<.*$|`\d+|\[.*$/gs, '');
    return called.endsWith('.ctor') || called.endsWith('.cctor') ? 'ctor' : lastOf(called, '.');
  },
};
/** `f(int) const` is `f`. */
function withoutParameters(name: string): string {
  const open = name.indexOf('(');
  return open >= 0 && /\)(?: const)?$/.test(name) ? name.slice(0, open) : name;
}
const native: Family = {
  place: () => '',
  name: (raw) =>
    /^<(?:unknown|redacted)>$/.test(raw)
      ? ''
      : withoutParameters(raw.replace(/::h[0-9a-f]{16}$/, '')).replace(/0x[0-9a-f]{4,16}/gi, ''),
};
const other: Family = { place: fileName, name: (raw) => lastOf(raw.replace(/\(.*$/s, ''), '.') };

const FAMILIES: Readonly<Record<PlatformFamily, Family>> = {
  python,
  javascript,
  java,
  go,
  ruby,
  php,
  csharp,
  native,
};
const familyOf = (platform: string): Family => {
  const family = platformFamily(platform);
  return family === null ? other : FAMILIES[family];
};

/**
 * How many frames are reliable. V8 prints ten frames by default, Sentry's SDK raises that, and promise internals occur
 * in only one of two stacks of the same crash. So of JavaScript's ten newest frames, five places count.
 */
export function reach(platform: string): { readonly frames: number; readonly places: number } {
  return familyOf(platform) === javascript ? { frames: 10, places: 5 } : { frames: 1000, places: 30 };
}
/** JavaScript's `stack` contains only the outermost error; only its printed form has causes. */
export const printsCauses = (platform: string): boolean => familyOf(platform) !== javascript;
