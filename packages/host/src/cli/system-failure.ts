import { CommandFailure, EXIT } from './exit-codes.js';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'It does not exist.',
  ENOTDIR: 'A part of the path is not a directory.',
  EISDIR: 'It is a directory. Name a file.',
  EACCES: 'This user has no permission.',
  EPERM: 'This user has no permission.',
  EEXIST: 'It exists already.',
  EROFS: 'The file system is read-only.',
  ENOSPC: 'The disk is full.',
  EMFILE: 'Too many files are open. Raise the limit: ulimit -n 4096.',
};

/** A failed system call as an expected failure: what failed, for which file, and why. `null` for other errors. */
export function systemFailure(error: unknown): CommandFailure | null {
  if (!(error instanceof Error)) return null;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || typeof syscall !== 'string') return null;
  const reason = REASONS[code];
  const what = path === undefined ? `The system call ${syscall} failed` : `Cannot access ${path}`;
  const exitCode = code === 'ENOENT' || code === 'ENOTDIR' ? EXIT.notFound : EXIT.failed;
  return new CommandFailure(`${what} (${code}).${reason === undefined ? '' : ` ${reason}`}`, exitCode);
}
