import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../../packages/host/dist/bin/culprit.js', import.meta.url));
const WARP = new URL('./warp.mjs', import.meta.url).href;

const LATEST_MS = 8 * 60_000;

export const REVIEWERS = ['ada', 'grace'];

/**
 * @typedef {{ scale: number, timeouts: number, origin: number }} Time how many times faster time and request timeouts
 * pass, and from which moment on
 */

/** The host's double as a separate process. @param {{ host: object, folder: string, time: Time }} options */
export async function startDouble({ host, folder, time }) {
  const args = ['--persist', join(folder, 'double.json')];
  args.push('--scale', String(time.scale), '--origin', String(time.origin));
  const child = spawn(process.execPath, [host.double, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const line = await new Promise((resolve) => createInterface(child.stdout).once('line', resolve));
  const { url } = JSON.parse(line);
  const steer = async (method, path, body) => {
    const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(`${url}/__double/${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  return { host, url, time, steer, stop: () => end(child, 'SIGTERM') };
}

/** A separate repository on the double, with its own user and token, and its controls. */
export async function openRepository(double, { name, git, lagMs = 0, asApp = false }) {
  const { host, url, time, steer } = double;
  const repository = `acme/${name}`;
  await steer('POST', 'repositories', { name: repository, git, listingLagMs: lagMs });
  const account = await host.openAccount(steer, { name, repository, asApp });
  const { token, user } = account;
  return {
    ...{ ...account, host, url, repository },
    /**
     * `ms` of slow responses is compared with timeouts, so it is scaled like them, but a late effect must stay within what
     * the policy waits for (11 minutes and a listing lag): a real minute is far below it.
     */
    fault: ({ ms, ...fault }) => {
      const slow = ms === undefined ? {} : { ms: Math.min((ms * time.scale) / time.timeouts, LATEST_MS) };
      return steer('POST', 'faults', { ...fault, ...slow });
    },
    clearFaults: () => steer('DELETE', 'faults'),
    hold: (hold) => steer('POST', 'holds', hold),
    held: async () => (await steer('GET', 'held')).held,
    release: () => steer('POST', 'release'),
    change: (changes) => steer('POST', 'repositories', { name: repository, ...changes }),
    changeToken: (changes) => steer('POST', 'tokens', { token, ...changes }),
    issues: async () => (await steer('GET', 'issues')).issues,
    bugs: async () => {
      const { bugs, violations } = await steer('GET', 'requests');
      return [...bugs, ...violations];
    },
    /** Many issues of the same user at once. */
    crowd: (count) => steer('POST', 'crowd', { repository, user, count }),
    /** A person moves the run's issue to another repository that the token may see. */
    transfer: async (number) => {
      const to = `${repository}-elsewhere`;
      await steer('POST', 'repositories', { name: to, git });
      await steer('POST', 'transfer', { repository, number, to });
    },
    /** An issue written by another program of the same user. */
    write: async (title) => {
      const { path, init } = host.writeIssue({ repository, token, title });
      await fetch(`${url}${path}`, { method: 'POST', ...init });
    },
  };
}

/** Longer than the listing lags of most rows, and shorter than the default, to save time. */
const SEARCH = '11m';

/** `culprit core` with scaled time over a file store, or over `storage`. */
export async function startCore({ folder, repository, time, search = SEARCH, storage }) {
  const data = join(folder, 'data');
  const log = openSync(join(folder, 'core.log'), 'a');
  const child = spawn(process.execPath, ['--import', WARP, BIN, 'core', '--data', data, '--core-port', '0'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      ...repository.host.settings(repository),
      REVIEWER_TOKENS: REVIEWERS.map((name) => `${name}:${name}-token-0123456789`).join(','),
      PUBLISH_SEARCH: search,
      // Core generates no audit key that another core would not have.
      ...(storage === undefined
        ? {}
        : { STORAGE_URL: storage, AUDIT_KEY: 'faults-audit-key-of-32-characters' }),
      WARP_SCALE: String(time.scale),
      WARP_ORIGIN: String(time.origin),
      WARP_TIMEOUTS: String(time.timeouts),
    },
    stdio: ['ignore', log, log, 'ipc'],
  });
  const { url } = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`core exited with ${code}; see ${folder}/core.log`)));
  });
  const secrets = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8'));
  return {
    url,
    kill: () => end(child, 'SIGKILL'),
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    stop: () => end(child, 'SIGTERM'),
    /** Status and JSON; status 0 if core is unreachable. */
    async call(method, path, { reviewer = REVIEWERS[0], headers = {} } = {}) {
      try {
        const response = await fetch(url + path, {
          method,
          headers: { authorization: `Bearer ${reviewer}-token-0123456789`, ...headers },
          signal: AbortSignal.timeout(60_000),
        });
        return { status: response.status, json: await response.json() };
      } catch {
        return { status: 0, json: {} };
      }
    },
    async deliver(deliveries) {
      const response = await fetch(`${url}/internal/v1/deliveries`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${secrets.internalGatewaySecret}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ edge: 'faults', deliveries }),
      });
      return (await response.json()).outcomes.map(({ run_id }) => run_id);
    },
  };
}

async function end(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}
