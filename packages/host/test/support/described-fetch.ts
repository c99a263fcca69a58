import { checkDescribed } from './described-answers.js';

/** From now on a `fetch` of this process rejects if `/openapi.json` does not describe the answer. Call the result for how many were compared. */
export function compareAnswers(): () => number {
  const real = globalThis.fetch;
  let compared = 0;
  globalThis.fetch = async (input, init) => {
    const response = await real(input, init);
    const { pathname } = new URL(input instanceof Request ? input.url : String(input));
    const text = await response.clone().text();
    checkDescribed({
      method: init?.method ?? (input instanceof Request ? input.method : 'GET'),
      // SDKs may leave out the slash at the end.
      path: pathname.replace(/^(\/api\/(?:\d+\/)?(?:envelope|store))$/, '$1/'),
      answer: {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text,
        json: jsonOf(text),
      },
    });
    compared += 1;
    return response;
  };
  return () => compared;
}

/** `null` if the text is none. */
export function jsonOf(text: string): ReturnType<typeof JSON.parse> {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
