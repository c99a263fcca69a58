import type { Behaviour, Exchange } from './ollama-double.js';

/** Claims with the given `text` and correct quotes of the evidence. */
export function claimsOf({ evidence }: Exchange, text: string): string {
  const pieces = evidence.filter(({ text: piece }) => piece.split('\n')[0]?.trim() !== '').slice(0, 3);
  const cites = pieces.map(({ id, text: piece }) => ({
    evidence: id,
    quote: whole(piece.split('\n')[0] ?? ''),
  }));
  return JSON.stringify({ insufficient: false, claims: [{ text, cites }] });
}

export const saying =
  (text: string): Behaviour =>
  (exchange) =>
    exchange.say(claimsOf(exchange, text));

export const GOOD = 'The voucher was looked up under a code that the campaign does not have.';

/** Behaviours that give a model's explanation. */
export const ANSWERING = {
  good: saying(GOOD),
  'in one piece although a stream was requested': ({ response, ...exchange }) => {
    const content = claimsOf({ response, ...exchange }, GOOD);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ message: { role: 'assistant', content }, done: true, done_reason: 'stop' }),
    );
  },
  'slow, within its budget': (exchange) => {
    exchange.begin();
    const pieces = claimsOf(exchange, GOOD).match(/[\s\S]{1,40}/g) ?? [];
    exchange.every(5, () => {
      const piece = pieces.shift();
      if (piece === undefined) exchange.done();
      else exchange.token(piece);
    });
  },
  'insufficient evidence': (exchange) => exchange.say('{"insufficient": true, "claims": []}'),
  'some citations invented': (exchange) => {
    const good = JSON.parse(claimsOf(exchange, GOOD));
    good.claims.push({ text: 'Invented.', cites: [{ evidence: 'frame:99', quote: 'nowhere' }] });
    exchange.say(JSON.stringify(good));
  },
} as const satisfies Record<string, Behaviour>;

/** Behaviours after which the template is used, and the resulting note. */
export const FAILING = {
  hang: { behave: () => {}, note: /no complete answer within/ },
  'hang after the head': { behave: (exchange) => exchange.begin(), note: /no complete answer within/ },
  'one token every 10 s': {
    behave: (exchange) => {
      exchange.begin();
      exchange.every(100, () => exchange.token('{'));
    },
    note: /no complete answer within/,
  },
  'a line that is not JSON': {
    behave: ({ begin, response }) => {
      begin();
      response.end('}{ @everyone\n');
    },
    note: /response is not JSON/,
  },
  'an answer that is not JSON': {
    behave: ({ say }) => say('Sure! Here is the JSON: {'),
    note: /is not JSON/,
  },
  'endless tokens': {
    behave: (exchange) => {
      exchange.begin();
      const more = () => {
        while (!exchange.response.destroyed && exchange.token('[{"text":"more and more"},'.repeat(40)));
      };
      exchange.response.on('drain', more);
      more();
    },
    note: /exceeded its size limit/,
  },
  'endless line': {
    behave: ({ begin, response }) => {
      begin();
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.on('drain', more);
      more();
    },
    note: /exceeded its size limit/,
  },
  'stopped by num_predict': {
    behave: ({ say }) => say('{"claims": [', 'length'),
    note: /exceeded its token budget/,
  },
  empty: { behave: ({ say }) => say(''), note: /answer is empty/ },
  'no bytes': {
    behave: ({ begin, response }) => {
      begin();
      response.end();
    },
    note: /was interrupted/,
  },
  'wrong schema': {
    behave: ({ say }) => say('{"claims": "it broke", "insufficient": 0}'),
    note: /does not match the requested schema/,
  },
  'another schema': {
    behave: ({ say }) => say('[1, 2, {"__proto__": {"claims": []}}]'),
    note: /does not match the requested schema/,
  },
  'prompt echo': {
    behave: ({ request, say }) => say(request.messages.at(-1)?.content ?? ''),
    note: /is not JSON/,
  },
  'invented citations': {
    behave: ({ say }) =>
      say(
        JSON.stringify({
          insufficient: false,
          claims: [{ text: 'Surely.', cites: [{ evidence: 'frame:0', quote: 'never written' }] }],
        }),
      ),
    note: /none of its quotes appear in the evidence/,
  },
  'an error in the stream': {
    behave: ({ begin, token, response }) => {
      begin();
      token('{');
      response.end('{"error":"llama runner process has terminated: signal: killed"}\n');
    },
    note: /llama runner process has terminated/,
  },
  'socket reset': {
    behave: ({ begin, token, response }) => {
      begin();
      token('{');
      response.destroy();
    },
    note: /was interrupted/,
  },
  'HTTP 500': {
    behave: ({ response }) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end('{"error":"model requires more system memory"}');
    },
    note: /Ollama returned 500: model requires more system memory/,
  },
  'a proxy’s page': {
    behave: ({ response }) => {
      response.writeHead(502, { 'content-type': 'text/html' });
      response.end('<html><h1>@everyone Bad gateway</h1></html>');
    },
    note: /Ollama returned 502\./,
  },
  redirect: {
    behave: ({ response }) => {
      response.writeHead(307, { location: 'http://127.0.0.1:1/api/chat' });
      response.end();
    },
    note: /is unreachable/,
  },
} as const satisfies Record<string, { behave: Behaviour; note: RegExp }>;

/** At most 80 characters, without splitting a surrogate pair. */
function whole(text: string): string {
  const short = text.slice(0, 80);
  return /[\ud800-\udbff]$/.test(short) ? short.slice(0, -1) : short;
}
