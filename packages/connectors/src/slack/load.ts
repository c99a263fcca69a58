import { CulpritError } from '@culprit/core';

/** Loaded at first use. */
export async function loadSlack(): Promise<typeof import('@slack/web-api')> {
  try {
    return await import('@slack/web-api');
  } catch (cause) {
    throw new CulpritError(
      'connector_missing',
      'The slack connector needs @slack/web-api: npm install @slack/web-api',
      { cause },
    );
  }
}
