import type { Engine } from '@culprit/core';
import { unauthenticated } from '../authenticate.js';
import type { CoreRoute } from '../route.js';

/** An issue's text may take several bytes for each character; the rest of an event is small. */
const LIMIT = 1024 * 1024;

/** Receives one system's signed events about issues. */
export interface IssueEvents {
  /** Rejects with `unauthenticated` or `malformed`. Resolves with the run that was read again, or `null`. */
  receive(
    engine: Pick<Engine, 'issueChanged'>,
    request: { readonly headers: Readonly<Record<string, string | undefined>>; readonly body: Uint8Array },
  ): Promise<string | null>;
}

/** The webhook of one system. */
export interface IssueWebhook {
  /** Its path is `/webhook/` and this. */
  readonly host: string;
  /** The system's name. */
  readonly title: string;
  /** The setting that opens it. */
  readonly setting: string;
  /** What a request carries, for the reference. */
  readonly headers: Readonly<Record<string, string>>;
  /** `null`: closed. */
  readonly receiver: IssueEvents | null;
}

export interface IssueEventParts {
  readonly engine: () => Promise<Engine>;
  readonly issueWebhooks: readonly IssueWebhook[];
}

/** Changes and fixes of issues, as the systems report them that have the issues. */
export function issueEventRoutes({ engine, issueWebhooks }: IssueEventParts): CoreRoute[] {
  return issueWebhooks.map(({ host, title, setting, headers: described, receiver }): CoreRoute => {
    const disabled = () => unauthenticated(`The webhook is disabled. Set ${setting}.`);
    return {
      method: 'POST',
      pattern: `/webhook/${host}`,
      access: 'open',
      ...(receiver === null ? {} : { bodyLimit: LIMIT }),
      admit() {
        if (receiver === null) throw disabled();
      },
      doc: {
        id: `receive${title}Event`,
        summary: `Receive an event of ${title} about an issue or a merged change; the issue is then read again`,
        headers: described,
        answers: { 202: { what: 'Accepted' } },
        problems: ['malformed', 'unauthenticated', 'storage_unavailable'],
      },
      async handle({ headers, body }) {
        if (receiver === null) throw disabled();
        await receiver.receive(await engine(), { headers, body });
        return { status: 202 };
      },
    };
  });
}
