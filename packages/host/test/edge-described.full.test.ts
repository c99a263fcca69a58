import { checkDescribed } from './support/described-answers.js';

// The edge's tests again, which fail if an answer is not one that `/openapi.json` describes.
const real = globalThis.fetch;
let checked = 0;

globalThis.fetch = async (input, init) => {
  const response = await real(input, init);
  const { pathname } = new URL(input instanceof Request ? input.url : String(input));
  const text = await response.clone().text();
  checked += 1;
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
  return response;
};

function jsonOf(text: string): ReturnType<typeof JSON.parse> {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

await import('./edge.test.js');
const { default: t } = await import('tap');
t.test('answers were compared', async (t) => {
  t.ok(checked > 100, `${checked} answers`);
});
