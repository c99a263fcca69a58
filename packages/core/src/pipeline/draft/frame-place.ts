import type { LocatedFrame } from '../../domain/code-mapping.js';
import type { CrashException, Frame } from '../../domain/event.js';
import { cleanPath, isLibraryPath } from '../locate/clean-path.js';
import type { ThrownException } from '../locate/crash-exception.js';

/** True where the reporter says so, or, where it says nothing, for what is no library's. */
export function isOwn({ in_app, abs_path, file }: Frame): boolean {
  return in_app ?? !isLibraryPath(abs_path ?? file ?? 'node_modules/');
}

/** The last frames of an exception, the latest first: its own where it has any. */
export function lastFrames({ frames }: CrashException, most: number): readonly Frame[] {
  const own = frames.filter(isOwn);
  return (own.length > 0 ? own : frames).slice(-most).reverse();
}

/** Where a frame that nothing located is, as `file:line`, without the directories above the repository where they are known. */
export function placeOf({ file, abs_path, module, package: archive, line }: Frame, above = ''): string {
  const reported = file ?? abs_path ?? module ?? archive;
  const clean = reported === null ? 'unknown' : (cleanPath(reported) ?? reported);
  const path = above !== '' && clean.startsWith(above) ? clean.slice(above.length) : clean;
  return line === null ? path : `${path}:${line}`;
}

/** What stands before the repository's own paths in the reported ones, as `srv/shop/`: read off the frames that were located. */
export function aboveRepository(thrown: ThrownException | null, located: readonly LocatedFrame[]): string {
  for (const { frame, path } of located) {
    const { file = null, abs_path = null } = thrown?.exception.frames[frame] ?? {};
    const clean = cleanPath(file ?? abs_path ?? '');
    if (clean?.endsWith(`/${path}`)) return clean.slice(0, -path.length);
  }
  return '';
}
