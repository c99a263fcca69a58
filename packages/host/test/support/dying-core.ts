import { dirname } from 'node:path';
import { silentLogger } from '@culprit/core';
import { startCore } from '../../src/server/server.js';
import { coreBench, TOKEN } from './core-bench.js';

/**
 * A core on the storage of its first argument that kills itself (`kill -9`) once the engine has done what the second one names,
 * before it answers. Prints its URL and its folder.
 */
const [url = '', method = ''] = process.argv.slice(2);
const { engine, repository } = await coreBench({}, url);
const dying = new Proxy(engine, {
  get(target, name) {
    const member: unknown = Reflect.get(target, name);
    if (name !== method || typeof member !== 'function') return member;
    return async (...given: unknown[]) => {
      await member.apply(target, given);
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {});
    };
  },
});
const core = await startCore({
  host: '127.0.0.1',
  port: 0,
  engine: dying,
  reviewers: [{ name: 'ada', token: TOKEN }],
  internalSecrets: [],
  logger: silentLogger,
});
process.stdout.write(`${core.url} ${dirname(repository.directory)}\n`);
