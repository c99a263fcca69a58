import { join } from 'node:path';
import type { Blame, CodeHost } from '@culprit/core/connector';
import { findSuspects } from '@culprit/core/internal/pipeline/find-suspects';
import { crashException } from '@culprit/core/internal/pipeline/locate/crash-exception';
import { normalise } from '@culprit/core/internal/pipeline/normalise/normalise';
import { makeDelivery } from '@culprit/core/internal/testing/builders';
import t from 'tap';
import { closeAll, gitHost, signal } from './support/context.js';
import { buildTextbook, CRASHED_AT } from './textbook/build.js';
import { LANGUAGES } from './textbook/languages.js';
import { caseOf, MECHANISMS, type TextbookCase } from './textbook/mechanisms.js';

/** Required share of cases whose first suspect is the culprit, and whose first reason names the mechanism. */
const WANTED = { suspect: 0.95, reason: 0.9 };
/** Maximum share of cases that the newest commit of the stack's lines may solve. */
const MAX_SOLVED_BY_BLAME = 1 / 3;

/** Two of the three languages for each mechanism. */
const cases = Object.keys(MECHANISMS).flatMap((mechanism, row) =>
  LANGUAGES.flatMap((language, column) => ((row + column) % 3 === 0 ? [] : caseOf(mechanism, language))),
);

t.teardown(closeAll);

t.test('small repositories with one obvious culprit each', async (t) => {
  const repository = join(t.testdir(), 'textbook.git');
  const commits = buildTextbook(repository, cases);
  const codeHost = await gitHost();
  const answers: { name: string; right: boolean; reason: boolean; byBlame: boolean; said: string }[] = [];
  for (const [index, one] of cases.entries()) {
    const shas = commits[index] ?? [];
    const revision = shas.at(-1) ?? '';
    const event = normalise(deliveryOf(one, revision));
    const incident = { first_seen: new Date(CRASHED_AT * 1_000).toISOString(), releases: [], occurrences: 1 };
    const config = { repository, mappings: [], diffBudget: 50 };
    let blame: Blame | undefined;
    const remembering: CodeHost['blame'] = async (...asked) => {
      const answer = await codeHost.blame(...asked);
      blame ??= answer;
      return answer;
    };
    const found = await findSuspects({ event, incident, config } as never, crashException(event), {
      codeHost: { ...codeHost, blame: remembering },
      signal,
      step: async (_name, work) => await work(),
      keep: () => {},
    });
    const first = found.suspects[0];
    const owners = found.located.map(({ path, line }) => {
      const ranges = blame?.files.find((file) => file.path === path)?.ranges ?? [];
      return shas.indexOf(ranges.find(({ start, end }) => start <= line && line <= end)?.sha ?? '');
    });
    const newest = Math.max(...owners);
    answers.push({
      name: one.name,
      right: first?.sha === shas[one.culprit],
      reason: one.codes.includes(first?.reasons[0]?.code ?? ''),
      byBlame: newest === one.culprit,
      said: `${shas.indexOf(first?.sha ?? '')} instead of ${one.culprit}: ${first?.reasons.map(({ text }) => text).join('; ')}`,
    });
  }
  const share = (what: 'right' | 'reason' | 'byBlame') =>
    answers.filter((answer) => answer[what]).length / answers.length;
  for (const { name, right, reason, said } of answers) {
    if (!right || !reason) t.comment(`${name}: ${said}`);
  }
  t.ok(cases.length >= 60, `${cases.length} cases`);
  t.ok(share('right') >= WANTED.suspect, `the first suspect is right in ${share('right')}`);
  t.ok(share('reason') >= WANTED.reason, `the first reason names the mechanism in ${share('reason')}`);
  t.ok(share('byBlame') <= MAX_SOLVED_BY_BLAME, `the newest blamed line names it in ${share('byBlame')}`);
});

function deliveryOf({ language, steps, error, frames }: TextbookCase, revision: string) {
  const files = new Map(steps.flatMap(({ files }) => Object.entries(files)));
  const [, type = null, value = error] = /^([\w.:]+): (.*)$/s.exec(error) ?? [];
  const stack = [...frames].reverse().map(({ path, text, function: name }) => {
    const lines = files.get(path)?.split('\n') ?? [];
    const line = lines.findIndex((one) => one.includes(text.trim())) + 1;
    if (line === 0) throw new Error(`"${text}" is not in ${path}:\n${lines.join('\n')}`);
    return { filename: path, lineno: line, function: name, in_app: true };
  });
  const timestamp = new Date(CRASHED_AT * 1_000).toISOString();
  return makeDelivery({
    received_at: timestamp,
    crash: {
      timestamp,
      platform: language.platform,
      tags: { commit: revision },
      exception: { values: [{ type, value, stacktrace: { frames: stack } }] },
    },
  });
}
