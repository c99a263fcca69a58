import t from 'tap';
import { KEY, MODEL, openaiDouble } from '../../connectors/test/support/openai-double.js';
import { culprit } from './support/run-culprit.js';
import { up } from './support/up.js';

t.setTimeout(300_000);

const LONG = `It is shown ${'at length '.repeat(60)}`;
const GUESS = { text: 'The server was restarted.', cites: [{ evidence: 'frame:99', quote: 'nowhere' }] };

const MISQUOTE = (evidence: string) => ({
  text: 'The clock was wrong.',
  cites: [{ evidence, quote: 'tick tock' }],
});

/** Claims the first line of the first piece of evidence, and something that nothing shows. */
function claims(prompt: string): string {
  const [, id = '""', text = ''] = /^BEGIN \w+ evidence ("[^\n]*?") [^\n]*\n([^\n]*)/m.exec(prompt) ?? [];
  const cites = [{ evidence: JSON.parse(id), quote: text.slice(0, 80) }];
  return JSON.stringify({
    insufficient: false,
    claims: [
      { text: 'It is shown.', cites },
      GUESS,
      MISQUOTE(JSON.parse(id)),
      { text: LONG, cites },
      { text: 'Uncited.', cites: [] },
    ],
  });
}

t.test('explain --compare: the model’s text beside the deterministic one, for past runs', async (t) => {
  const double = await openaiDouble('llamacpp', ({ messages }) => claims(messages.at(-1)?.content ?? ''));
  t.teardown(() => double.close());
  const servers = await up(t.testdir());
  t.teardown(servers.stop);
  const core = ['--url', servers.core, '--data', servers.data];
  const explain = (args: readonly string[], env: object = {}) =>
    culprit(['explain', ...args, ...core], { env });
  const MODEL_ENV = { OPENAI_MODEL: MODEL, OPENAI_BASE_URL: double.url, OPENAI_API_KEY: KEY };

  t.match(await explain(['--compare'], MODEL_ENV), { code: 3, stderr: /No run has a draft yet/ });
  await culprit(['trigger', 'python', '--edge-url', servers.edge, ...core]);
  const listed = async () => JSON.parse((await culprit(['runs', 'list', '--json', ...core])).stdout).runs;
  let [run] = await listed();
  while (run === undefined) [run] = await listed();
  t.match(await explain([run.run_id]), { code: 3, stderr: /has no explanation yet\. Approve Gate 1 first/ });
  t.match(await culprit(['runs', 'approve', run.run_id, ...core]), { code: 0 });

  t.match(await explain([run.run_id]), { code: 0, stdout: /template\n {2}1\. / });
  t.match(await explain(['--compare']), { code: 2, stderr: /No model is configured/ });
  const compared = await explain(['--compare', '--json'], MODEL_ENV);
  t.match(compared, { code: 0 }, compared.stderr);
  t.match(JSON.parse(compared.stdout), [
    {
      run_id: run.run_id,
      template: { by: 'template', refused: [], failed: null },
      model: {
        by: MODEL,
        claims: [{ text: 'It is shown.' }, { text: /^It is shown at length .*…$/ }],
        refused: [
          { text: GUESS.text, why: 'it cites "frame:99", which is no evidence of this run' },
          { text: 'The clock was wrong.', why: /^its quote is not in .*: "tick tock"$/ },
          { text: 'Uncited.', why: 'it cites nothing' },
        ],
        failed: null,
      },
    },
  ]);
  const { stdout } = await explain(['--compare', run.run_id], MODEL_ENV);
  t.match(stdout, /^ {2}template {2}[\d.]+ s +│ double-8b {2}[\d.]+ s$/m, 'side by side');
  t.match(stdout, /^ {2}1\. .* │ 1\. It is shown\.$/m);
  t.match(
    stdout,
    /│ refused, no citation: The server was restarted\.\n.*│ {4}it cites "frame:99", which is no/,
  );
  t.ok(stdout.split('\n').every((line) => [...line].length <= 120));
  const wrong = await explain(['--compare'], { ...MODEL_ENV, OPENAI_API_KEY: 'sk-wrong' });
  t.match(wrong, { code: 0, stdout: /│ The explainer openai failed: the model server refused/ });
  t.match(await explain(['--compare', 'run_none'], MODEL_ENV), { code: 1, stderr: /run_none/ });
});
