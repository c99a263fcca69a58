import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const installed = spawnSync('valkey-server', ['--version']).status === 0;
const TEST = fileURLToPath(new URL('shared.test.js', import.meta.url));

t.test(
  'everything that shared storage promises on Redis, on Valkey',
  { skip: installed ? false : 'valkey-server is not installed; Debian has it from version 13 on' },
  (t) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [TEST], {
      env: { ...process.env, CULPRIT_REDIS_SERVER: 'valkey-server' },
      encoding: 'utf8',
      maxBuffer: 64 * 1_024 * 1_024,
    });
    t.equal(status, 0, { stdout: stdout.slice(-4_000), stderr });
    const passed = stdout.match(/^ *ok \d/gm) ?? [];
    t.ok(passed.length > 50, `${passed.length} results`);
    t.notMatch(stdout, /# SKIP/);
    t.end();
  },
);
