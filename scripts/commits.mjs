// Checks commit subjects against commit-scopes.json: those since CI_BASE or since the branch left origin/main, else the last one.
// `--message FILE` checks one message, as the hook in scripts/hooks does.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { subjectFault } from './lib/commit-subject.mjs';
import { root } from './lib/root.mjs';

const [flag, file] = process.argv.slice(2);
const subjects =
  flag === '--message' ? [readFileSync(file, 'utf8').split('\n', 1)[0]] : subjectsSince(base());
const faults = subjects.flatMap((subject) => {
  const fault = subjectFault(subject);
  return fault === null ? [] : [`"${subject}": ${fault}`];
});
for (const fault of faults) console.error(fault);
if (flag !== '--message') {
  console.log(`commits: ${subjects.length} checked`);
  console.log(`${faults.length === 0 ? 1 : 0} passed, ${faults.length === 0 ? 0 : 1} failed, 0 skipped`);
}
process.exit(faults.length === 0 ? 0 : 1);

function base() {
  if (process.env.CI_BASE) return process.env.CI_BASE;
  const left = git('merge-base', 'HEAD', 'origin/main');
  return left !== null && left !== git('rev-parse', 'HEAD') ? left : 'HEAD~1';
}

/** Subjects of all commits after `from`, merges left out; of a repository's only commit if there is no other. */
function subjectsSince(from) {
  const log = git('log', '--no-merges', '--format=%s', `${from}..HEAD`) ?? git('log', '-1', '--format=%s');
  if (log !== null) return log.split('\n').filter((line) => line !== '');
  console.log('Not a Git checkout: commit subjects are not checked.');
  console.log('0 passed, 0 failed, 1 skipped');
  return process.exit(0);
}

function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}
