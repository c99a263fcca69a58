import { request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** A body of any shape. */
  readonly json: ReturnType<typeof JSON.parse>;
}
export interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | object;
}

/** A request and its answer. `path` is without the query. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly answer: Answer;
}

const checks = new Map<number, (exchange: Exchange) => void>();

/** Has every answer from a port checked: what `check` throws, the request rejects with. */
export function checkAnswersOf(port: number, check: (exchange: Exchange) => void): void {
  checks.set(port, check);
}

/** A client that sends exactly the headers it is given, Host and Origin included; with an object as the body, also that it is JSON. */
export function httpClient(port: number, common: Readonly<Record<string, string>> = {}) {
  return ({ method = 'GET', path, headers = {}, body }: Ask): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const isJson = typeof body === 'object' && !(body instanceof Uint8Array);
      const payload = isJson ? JSON.stringify(body) : body;
      const all = { ...(isJson && { 'content-type': 'application/json' }), ...common, ...headers };
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          method,
          path,
          headers: payload === undefined ? all : { 'content-length': Buffer.byteLength(payload), ...all },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const flat = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
            const answer = {
              status: response.statusCode ?? 0,
              headers: Object.fromEntries(flat),
              text,
              json: parse(text),
            };
            try {
              checks.get(port)?.({ method, path: path.replace(/\?.*/, ''), answer });
              resolve(answer);
            } catch (error) {
              reject(error);
            }
          });
        },
      );
      sent.on('error', reject);
      sent.end(payload);
    });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
