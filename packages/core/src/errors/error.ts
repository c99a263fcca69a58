import { ERRORS, type ErrorCode } from './catalogue.js';

const BRAND = Symbol.for('culprit.error/1');

/** Optional details of a `CulpritError`. */
export interface CulpritErrorOptions {
  /** Where in the input, as a JSON path such as `exception.values[0].type`. */
  readonly path?: string;
  /** How long to wait before the next attempt. */
  readonly retryAfterMs?: number;
  /** Overrides the catalogue. */
  readonly retryable?: boolean;
  /** More members for the problem document; no secrets. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  /** A finer cause than `code` for callers that must distinguish failures. Not shown to people. */
  readonly reason?: string;
}

/** The only error that Culprit throws deliberately. `message` says what to do. */
export class CulpritError extends Error {
  readonly [BRAND] = true;
  readonly code: ErrorCode;
  readonly status: number;
  readonly retryable: boolean;
  readonly path: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly members: Readonly<Record<string, unknown>>;
  readonly reason: string | undefined;

  constructor(code: ErrorCode, detail: string, options: CulpritErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CulpritError';
    this.code = code;
    this.status = ERRORS[code].status;
    this.retryable = options.retryable ?? ERRORS[code].retryable;
    this.path = options.path;
    this.retryAfterMs = options.retryAfterMs;
    this.members = options.members ?? {};
    this.reason = options.reason;
  }
}

/** Recognises errors from any installed copy of this package. */
export function isCulpritError(error: unknown, code?: ErrorCode): error is CulpritError {
  if (typeof error !== 'object' || error === null || !(BRAND in error)) return false;
  return code === undefined || (error as CulpritError).code === code;
}

/** The error if it is one of ours. Any other becomes one with this code, whose detail people read. */
export function asCulpritError(error: unknown, code: ErrorCode, detail: string): CulpritError {
  return isCulpritError(error) ? error : new CulpritError(code, detail, { cause: error });
}

/** RFC 9457. `code` is stable; `detail` is for people. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly [member: string]: unknown;
}

/** The problem document of any error. Other errors become `internal`, without details. */
export function problem(error: unknown): Problem {
  if (!isCulpritError(error)) {
    return {
      type: 'about:blank',
      title: ERRORS.internal.title,
      status: 500,
      code: 'internal',
      detail: 'Internal error; see the log.',
    };
  }
  return {
    ...error.members,
    type: 'about:blank',
    title: ERRORS[error.code].title,
    status: error.status,
    code: error.code,
    detail: error.message,
    ...(error.path === undefined ? {} : { path: error.path }),
  };
}
