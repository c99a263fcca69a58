import type { LocatedFrame } from '../../domain/code-mapping.js';
import type { CrashException, Frame } from '../../domain/event.js';
import { cleanPath, isLibraryPath } from '../locate/clean-path.js';
import type { ThrownException } from '../locate/crash-exception.js';

/** True if the report marks the frame as the project's own, or marks nothing and the path is not a library's. */
export function isOwn({ in_app, abs_path, file }: Frame): boolean {
  return in_app ?? !isLibraryPath(abs_path ?? file ?? 'node_modules/');
}

/** The last frames, newest first: the project's own if there are any. */
export function lastFrames({ frames }: CrashException, most: number): readonly Frame[] {
  const own = frames.filter(isOwn);
  return (own.length > 0 ? own : frames).slice(-most).reverse();
}

/** `file:line` of a frame that was not located, without the prefix `above`. */
export function placeOf({ file, abs_path, module, package: archive, line }: Frame, above = ''): string {
  const reported = file ?? abs_path ?? module ?? archive;
  const clean = reported === null ? 'unknown' : (cleanPath(reported) ?? reported);
  const path = above !== '' && clean.startsWith(above) ? clean.slice(above.length) : rootOf(reported) + clean;
  return line === null ? path : `${path}:${line}`;
}

/** `/` or `C:/` of an absolute path, which `cleanPath` removes. */
function rootOf(reported: string | null): string {
  const path = reported?.replaceAll('\\', '/').replace(/^file:\/\//i, '') ?? '';
  return /^\/?([A-Za-z]:\/)/.exec(path)?.[1] ?? (path.startsWith('/') ? '/' : '');
}

/** The prefix of reported paths that is not part of the repository, such as `srv/shop/`, taken from a located frame. */
export function aboveRepository(thrown: ThrownException | null, located: readonly LocatedFrame[]): string {
  for (const { frame, path } of located) {
    const { file = null, abs_path = null } = thrown?.exception.frames[frame] ?? {};
    const clean = cleanPath(file ?? abs_path ?? '');
    if (clean?.endsWith(`/${path}`)) return clean.slice(0, -path.length);
  }
  return '';
}

const LONG = 60;

/** A function name; long native names lose their parameters and template arguments. */
export function shortFunction(name: string): string {
  if (name.length <= LONG) return name;
  const open = name.indexOf('(', name.startsWith('(') ? 1 : 0);
  const bare = open > 0 && !name.slice(0, open).endsWith('operator') ? `${name.slice(0, open)}(…)` : name;
  return bare.length <= LONG ? bare : bare.replace(/<[^<>()]{8,}>/g, '<…>');
}
