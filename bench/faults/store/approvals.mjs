// 100 simultaneous approvals of one gate from 4 processes, spread over all cores.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { REVIEWER } from './fleet.mjs';

const APPROVE = fileURLToPath(new URL('approve.mjs', import.meta.url));

/** Number of decisions of this gate in the run's history, and the 100 responses. */
export async function approveAtOnce(urls, runId, gate) {
  const path = `/api/v1/runs/${runId}/${gate}/approve`;
  const children = await Promise.all(
    Array.from({ length: 4 }, async (_, n) => {
      const rotated = [...urls.slice(n % urls.length), ...urls.slice(0, n % urls.length)];
      const child = spawn(process.execPath, [APPROVE, REVIEWER, '25', path, ...rotated]);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const exited = once(child, 'exit');
      await lines.next();
      return { child, lines, exited };
    }),
  );
  for (const { child } of children) child.stdin.write('go\n');
  const answers = [];
  for (const { lines, exited } of children) {
    answers.push(...JSON.parse((await lines.next()).value));
    await exited;
  }
  const history = await fetch(`${urls[0]}/api/v1/runs/${runId}/history`, {
    headers: { authorization: `Bearer ${REVIEWER}` },
  }).then((answer) => answer.json());
  return {
    answers: answers.length,
    different: new Set(answers.map((answer) => JSON.stringify(answer))).size,
    status: answers[0]?.status,
    winners: history.entries.filter(({ name }) => name === `${gate}.approve`).length,
  };
}
