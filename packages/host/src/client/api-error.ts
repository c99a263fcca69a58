/** Why a request to Culprit failed. */
export class ApiError extends Error {
  constructor(
    /** HTTP status; 0 if there was no response. */
    readonly status: number,
    /** The problem's code, `unreachable` without a response, `unreadable` for a response that is not a problem document. */
    readonly code: string,
    message: string,
    /** The request member that the problem names. */
    readonly path: string | null = null,
  ) {
    super(message);
  }
}
