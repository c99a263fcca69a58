import { setTimeout as delay } from 'node:timers/promises';

/**
 * Clients that send crashes to the native door as fast as it answers, each crash its own incident. A crash that is not
 * acknowledged is sent again with the same id.
 */
export class Load {
  sent = new Set();
  acknowledged = new Set();
  repeats = 0;
  #next = 0;
  #stopped = false;
  #clients = [];

  constructor({ clients = 6, perSecond = 150 } = {}) {
    this.clients = clients;
    this.pauseMs = (1000 * clients) / perSecond;
  }

  start(target) {
    this.#stopped = false;
    this.#clients = Array.from({ length: this.clients }, () => this.#client(target));
  }

  async stop() {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }

  async #client(target) {
    while (!this.#stopped) {
      const name = nameOf(this.#next++);
      this.sent.add(name);
      for (let tries = 0; tries < 200 && !this.#stopped; tries += 1) {
        if (tries > 0) this.repeats += 1;
        if (await send(target, name)) {
          this.acknowledged.add(name);
          break;
        }
        await delay(50);
      }
      await delay(this.pauseMs);
    }
  }
}

async function send({ edgeUrl, serviceToken }, name) {
  const crash = {
    event_id: `load-${name}`,
    platform: 'node',
    release: 'v2.4.0',
    exception: {
      values: [
        {
          type: `Crash${name}`,
          value: 'under load',
          stacktrace: {
            frames: [{ filename: 'src/pricing/discounts.js', function: `f${name}`, lineno: 8, in_app: true }],
          },
        },
      ],
    },
  };
  try {
    const response = await fetch(`${edgeUrl}/api/v1/telemetry/ingest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-token': serviceToken },
      body: JSON.stringify(crash),
      signal: AbortSignal.timeout(5_000),
    });
    await response.arrayBuffer();
    return response.status === 202;
  } catch {
    return false;
  }
}

/** Six letters: grouping ignores numbers, not names. */
function nameOf(number) {
  let name = '';
  for (let rest = number, i = 0; i < 6; i += 1, rest = Math.floor(rest / 26)) {
    name += String.fromCharCode(97 + (rest % 26));
  }
  return name.charAt(0).toUpperCase() + name.slice(1);
}
