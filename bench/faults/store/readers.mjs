// Live feed readers that reconnect with `since` after every loss and check that no number is missing.
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { REVIEWER } from './fleet.mjs';

export class LiveReader {
  seen = new Set();
  messages = 0;
  connects = 0;
  gaps = 0;
  repeats = 0;
  /** Snapshots that reported that the numbers could not be continued. */
  resets = 0;
  #cursor = null;
  #stopped = false;
  #socket = null;

  constructor(url) {
    this.url = url;
    this.running = this.#run();
  }

  get cursor() {
    return this.#cursor;
  }

  async stop() {
    this.#stopped = true;
    this.#socket?.terminate();
    await this.running;
  }

  async #run() {
    while (!this.#stopped) {
      await this.#connect();
      await delay(100);
    }
  }

  #connect() {
    const since = this.#cursor === null ? '' : `?since=${this.#cursor.epoch}.${this.#cursor.sequence}`;
    const address = `${this.url.replace('http', 'ws')}/api/v1/live${since}`;
    const socket = new WebSocket(address, { headers: { authorization: `Bearer ${REVIEWER}` } });
    this.#socket = socket;
    return new Promise((resolve) => {
      socket.on('open', () => {
        this.connects += 1;
      });
      socket.on('message', (text) => this.#take(JSON.parse(text)));
      socket.on('error', () => {});
      socket.on('close', resolve);
    });
  }

  #take(message) {
    this.messages += 1;
    if (message.type === 'snapshot') {
      if (message.reset) this.resets += 1;
      this.#cursor = { epoch: message.epoch, sequence: message.sequence };
      for (const run of message.runs) this.seen.add(run.run_id);
    }
    if (message.type === 'run') {
      if (message.sequence > this.#cursor.sequence + 1) this.gaps += 1;
      if (message.sequence <= this.#cursor.sequence) this.repeats += 1;
      this.#cursor.sequence = message.sequence;
      this.seen.add(message.run.run_id);
    }
  }
}
