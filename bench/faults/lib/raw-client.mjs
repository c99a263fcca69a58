import { connect } from 'node:net';

/** One keep-alive connection that sends complete requests and reads complete responses in turn, at low cost. */
export class RawClient {
  #socket;
  #buffer = '';
  #waiting = null;

  constructor(port, host = '127.0.0.1') {
    this.#socket = connect({ port, host, noDelay: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text) => this.#read(text));
    const lost = () => {
      this.closed = true;
      this.#settle(null);
    };
    this.#socket.on('error', lost).on('close', lost);
  }

  closed = false;

  /** The status of the response, or `null` if the connection closed first. */
  send(bytes) {
    return new Promise((resolve) => {
      if (this.closed) return resolve(null);
      this.#waiting = resolve;
      this.#socket.write(bytes);
    });
  }

  /** Sends without waiting for a response. */
  push(bytes) {
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  answer() {
    return new Promise((resolve) => {
      if (this.closed) return resolve(null);
      this.#waiting = resolve;
    });
  }

  end() {
    this.#socket.destroy();
  }

  #read(text) {
    this.#buffer += text;
    const head = this.#buffer.indexOf('\r\n\r\n');
    if (head === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(this.#buffer)?.[1] ?? 0);
    if (this.#buffer.length < head + 4 + length) return;
    const status = Number(this.#buffer.slice(9, 12));
    this.#buffer = this.#buffer.slice(head + 4 + length);
    this.#settle(status);
  }

  #settle(status) {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.(status);
  }
}

/** A whole request as bytes. */
export function requestBytes(path, headers, body) {
  const bytes = Buffer.from(body);
  const lines = Object.entries({ host: '127.0.0.1', 'content-length': bytes.length, ...headers })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), bytes]);
}
