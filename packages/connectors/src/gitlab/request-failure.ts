/** The status of a response that is larger than what is read. */
export const TOO_LARGE = 413;

/** GitLab refused a request, or did not respond: then `status` is 0. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  constructor(
    readonly status: number,
    /** GitLab's message, without the token. */
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** True: the time limit was reached. */
    readonly timedOut = false,
    /** GitLab takes the text for spam, and wants a captcha to be solved. */
    readonly captcha = false,
  ) {
    super(message);
  }
}
