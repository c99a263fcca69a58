import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../../packages/host/dist/config/load-config.js';
import { NO_RATE_LIMITS } from '../../../packages/host/dist/edge/limits.js';
import { reservePort } from '../lib/reserve-port.mjs';

const BIN = fileURLToPath(new URL('../../../packages/host/dist/bin/culprit.js', import.meta.url));

/** Edge and core as a user starts them. Each can be killed and restarted on the same port. */
export class Servers {
  #running = new Map();

  static async make({ limits = {}, coreUrl = null } = {}) {
    const servers = new Servers();
    servers.data = mkdtempSync(join(tmpdir(), 'culprit-faults-edge-'));
    servers.ports = { edge: await reservePort(), core: await reservePort() };
    servers.edgeUrl = `http://127.0.0.1:${servers.ports.edge}`;
    servers.coreUrl = `http://127.0.0.1:${servers.ports.core}`;
    servers.forwardTo = coreUrl ?? servers.coreUrl;
    const config = join(servers.data, 'culprit.json');
    // All clients share one address, which must not be rate limited.
    const file = {
      quotas: 'off',
      limits: {
        ...NO_RATE_LIMITS,
        ...limits,
      },
    };
    writeFileSync(config, JSON.stringify(file));
    const { config: read } = loadConfig({
      flags: { data: servers.data, config },
      env: {},
      cwd: servers.data,
    });
    servers.serviceToken = read.serviceTokens[0].token.reveal();
    servers.reviewer = read.reviewerTokens[0].token.reveal();
    servers.sdkKey = read.sdkKeys[0].key;
    return servers;
  }

  get spool() {
    return join(this.data, 'spool');
  }

  pid(name) {
    return this.#running.get(name)?.pid ?? null;
  }

  /** Resolves when the server listens. `preload`: a module that runs in it first. */
  async start(name, { preload = null, env = {} } = {}) {
    const flags = ['--data', this.data, '--config', join(this.data, 'culprit.json')];
    const ports = ['--edge-port', String(this.ports.edge), '--core-port', String(this.ports.core)];
    const log = openSync(join(this.data, `${name}.log`), 'a');
    const node = preload === null ? [] : ['--import', preload];
    const child = spawn(
      process.execPath,
      [...node, BIN, name, ...flags, ...ports, '--core-url', this.forwardTo, '--log-level', 'warn'],
      { cwd: this.data, env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', log, log, 'ipc'] },
    );
    closeSync(log);
    this.#running.set(name, child);
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => {
        if (child.signalCode !== null) return;
        throw new Error(
          `${name} did not start: ${readFileSync(join(this.data, `${name}.log`), 'utf8').slice(-800)}`,
        );
      }),
    ]);
  }

  async stop(name, signal = 'SIGTERM') {
    const child = this.#running.get(name);
    this.#running.delete(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  async stopAll() {
    await Promise.all(['edge', 'core'].map((name) => this.stop(name)));
  }

  async guard() {
    return (await fetch(`${this.edgeUrl}/api/v1/guard`)).json();
  }

  async core(path) {
    const headers = { authorization: `Bearer ${this.reviewer}` };
    const response = await fetch(this.coreUrl + path, { headers, signal: AbortSignal.timeout(30_000) });
    if (!response.ok) throw new Error(`core answered ${response.status}`);
    return response.json();
  }

  /** All runs. */
  async runs() {
    const all = [];
    let cursor = '';
    do {
      const page = await this.core(`/api/v1/runs?limit=200${cursor && `&cursor=${cursor}`}`);
      all.push(...page.runs);
      cursor = page.next ? encodeURIComponent(page.next) : '';
    } while (cursor);
    return all;
  }

  /** Waits until core has acknowledged everything in the edge's spool. */
  async drained(seconds = 240) {
    for (const end = Date.now() + seconds * 1_000; Date.now() < end; ) {
      const guard = await this.guard().catch(() => null);
      if (guard?.spool.depth === 0) return guard;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`the edge has not drained within ${seconds} s`);
  }
}

/** Peak (`VmHWM`) or current (`VmRSS`) memory in MB; `null` if the system does not report it. */
export function memoryOf(pid, what = 'VmHWM') {
  try {
    const found = new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
    return found === null ? null : Math.round(Number(found[1]) / 1024);
  } catch {
    return null;
  }
}
