import { createClient } from '@culprit/client';

/** Core's URL: the board may be below a path of a larger site. */
export const coreUrl = `${location.origin}${document.documentElement.dataset.path ?? ''}`;

export const api = createClient({ url: coreUrl, retries: 0 });
