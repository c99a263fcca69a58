import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { type CoreBench, coreBench, TOKEN } from './support/core-bench.js';
import { BIN, culprit } from './support/run-culprit.js';

t.setTimeout(300_000);

const ada = { name: 'ada', via: 'api' } as const;
const noTerminal = spawnSync('script', ['--version']).status !== 0 && 'needs script (util-linux)';

/** Core, the command line with a token of ada, and a folder that is the command line's TMPDIR. */
async function bench(t: Test) {
  const core = await coreBench();
  t.teardown(core.close);
  const folder = temporaryFolder(t, 'cli');
  const as = (token: string) => ({ CULPRIT_URL: core.core.url, CULPRIT_TOKEN: token, TMPDIR: folder });
  return {
    ...core,
    folder,
    env: as(TOKEN),
    run: (...args: string[]) => culprit(args, { env: as(TOKEN) }),
    withInput: (input: string, ...args: string[]) => culprit(args, { env: as(TOKEN), input }),
    async withScopes(...scopes: string[]) {
      const body = { name: scopes.join(' '), scopes };
      const { json } = await core.api({ method: 'POST', path: '/api/v1/tokens', body });
      return (...args: string[]) => culprit(args, { env: as(json.token) });
    },
    async drafted() {
      const id = await core.stage();
      await core.engine.approveGateOne(id, ada);
      return id;
    },
    put(name: string, text: string) {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    /** The folders of texts that were kept. */
    kept: () => readdirSync(folder).filter((name) => name.startsWith('culprit-')),
  };
}

const draftOf = async ({ engine }: Pick<CoreBench, 'engine'>, id: string) => {
  const { draft } = await engine.run(id);
  if (draft === null) throw new Error('no draft');
  return draft;
};

t.test('a draft is edited with a file, and no text is lost', async (t) => {
  const b = await bench(t);
  const { run, put } = b;
  const [id, raw] = [await b.drafted(), await b.stage()];
  const before = await draftOf(b, id);
  const frames = [{ filename: '/srv/elsewhere.js', function: 'f', lineno: 1, in_app: true }];
  const crash = { event_id: 'elsewhere', exception: { values: [{ type: 'E', stacktrace: { frames } }] } };
  const { run_id: unmapped } = await b.engine.ingest({ crash });
  t.match(
    (await run('runs', 'show', unmapped ?? '')).stdout,
    /no suspect +No frame in the stack trace maps .*\n +to fix +Check that the file is committed and pushed\. If it is, add a code mapping/,
  );
  const { stdout: text } = await run('runs', 'show', id, '--draft');
  t.match(text, new RegExp(`^Title: .*\n(Label: .*\n)*Digest: ${before.digest}\n\n`));
  t.match(await run('runs', 'edit', id, '--file', put('same.md', text)), {
    code: 0,
    stdout: 'The draft is unchanged.\n',
  });

  const changed = text
    .replace(/^Title: .*/, 'Title: Carts without tax crash')
    .replace('\nDigest:', '\nLabel: tax\nDigest:');
  const mine = put('mine.md', `${changed}\nSeen in the shop.\r\n`);
  const saved = await run('runs', 'edit', id, '--file', mine);
  const after = await draftOf(b, id);
  t.match(saved, { code: 0 }, saved.stderr);
  t.match(
    saved.stdout,
    /^-title: .*\n\+title: Carts without tax crash\n\+labels: tax\n@@ [\s\S]*\+Seen in the shop\.\n/,
  );
  t.match(saved.stdout, `saved: the digest of the draft is ${after.digest}\n`);
  t.match(after, { title: 'Carts without tax crash', edited_by: 'ada' });
  t.same(after.labels, [...before.labels, 'tax']);
  t.equal(after.body, `${before.body.trimEnd()}\n\nSeen in the shop.${/\n*$/.exec(before.body)?.[0]}`);

  const stale = await run('runs', 'edit', id, '--file', mine);
  t.match(stale, { code: 6, stdout: '' });
  t.match(stale.stderr, /The draft has changed: its digest is [0-9a-f]{12}, and the text was written from/);
  t.match(
    stale.stderr,
    new RegExp(`Your text is in ${mine}\\..*show ${id} --draft.*--file ${mine} --digest`),
  );
  const piped = await b.withInput(
    '# Mine\n',
    'runs',
    'edit',
    id,
    '--file',
    '-',
    '--digest',
    before.digest,
    '--json',
  );
  t.match(JSON.parse(piped.stdout), { error: { code: 'draft_changed' }, exit_code: 6 });
  const [folder = ''] = b.kept();
  const kept = join(b.folder, folder, `${id}.md`);
  t.match(piped.stderr, `Your text is in ${kept}.`);
  t.equal(readFileSync(kept, 'utf8'), '# Mine\n', 'a text that was piped is kept');
  const again = await run(
    'runs',
    'edit',
    id,
    '--file',
    kept,
    '--digest',
    after.digest.slice(0, 12),
    '--json',
  );
  t.match(JSON.parse(again.stdout), { draft: { body: /^# Mine/ }, difference: { same: false } });

  t.match(await run('runs', 'edit', id, '--title', 'Tax'), { code: 0, stdout: /\+title: Tax\n/ });
  t.match(await draftOf(b, id), { title: 'Tax', body: /^# Mine/ });
  const headed = put('headed.md', `Title: Tax\n\nTitle: is in the body\nso is this`);
  const { digest } = await draftOf(b, id);
  t.match(await run('runs', 'edit', id, '--file', headed, '--digest', digest), { code: 0 });
  t.match(await run('runs', 'edit', id, '--title', 'VAT'), { code: 0 });
  t.match(await draftOf(b, id), { title: 'VAT', body: /^Title: is in the body\nso is this/ });
  const wrong: readonly (readonly [string[], number, RegExp])[] = [
    [['edit', id], 2, /Pass --file FILE or --title TEXT: an editor needs a terminal/],
    [['edit', id, '--file', kept], 2, /--digest DIGEST is missing/],
    [
      ['edit', id, '--file', put('head.md', 'Title: x\nlabels: y\n\nz')],
      2,
      /Line 2 of the file must begin with/,
    ],
    [['edit', id, '--file', put('empty.md', `Digest: ${before.digest}\n\n`)], 6, /The draft has changed/],
    [['edit', id, '--file', join(b.folder, 'none')], 3, /Cannot read .*none \(ENOENT\)/],
    [['edit', id, '--title', ' '], 2, /"title" must be a non-empty string/],
    [['edit', raw, '--title', 'x'], 6, /edited at Gate 2, and the run is staged_raw/],
    [['edit', id, raw, '--title', 'x'], 2, /Too many arguments/],
  ];
  const ended = await Promise.all(wrong.map(([args]) => run('runs', ...args)));
  for (const [at, [args, code, says]] of wrong.entries())
    t.match(ended[at], { code, stderr: says }, args.join(' '));
});

t.test(
  'in the editor: saved, changed by another meanwhile, and an editor that fails',
  { skip: noTerminal },
  async (t) => {
    const b = await bench(t);
    const id = await b.drafted();
    const before = await draftOf(b, id);
    const inEditor = (editor: string) =>
      new Promise<{ code: number | null; text: string }>((resolve) => {
        const line = `${process.execPath} ${BIN} runs edit ${id}`;
        const child = spawn('script', ['-qec', line, '/dev/null'], {
          env: { PATH: process.env.PATH, NO_COLOR: '1', ...b.env, EDITOR: editor },
          stdio: ['pipe', 'pipe', 'inherit'],
        });
        let text = '';
        child.stdout.on('data', (chunk) => {
          text += String(chunk);
        });
        child.once('close', (code) => resolve({ code, text: text.replaceAll('\r\n', '\n') }));
      });
    const add = b.put('add.sh', 'printf "$1\\n" >> "$2"\n');
    const saved = await inEditor(`sh ${add} More.`);
    t.match(saved, { code: 0, text: /\+More\.\n[\s\S]*saved: the digest/ }, saved.text);
    t.match((await draftOf(b, id)).body, /More\./);
    t.same(b.kept(), [], 'nothing is left');
    t.match(await inEditor('true'), { code: 0, text: 'The draft is unchanged.\n' });

    // The editor is open while another reviewer saves.
    const other = `${process.execPath} ${BIN} runs edit ${id} --title Meanwhile > /dev/null`;
    const meanwhile = await inEditor(`sh ${b.put('other.sh', `${other}\nprintf "Lost?\\n" >> "$1"\n`)}`);
    t.match(meanwhile, { code: 6, text: /Your text is in / }, meanwhile.text);
    const [folder = ''] = b.kept();
    t.match(readFileSync(join(b.folder, folder, `${id}.md`), 'utf8'), /Lost\?\n$/);
    t.match(await draftOf(b, id), { title: 'Meanwhile', body: /More\./ });
    t.notMatch((await draftOf(b, id)).body, /Lost/);

    const failed = await inEditor('false');
    t.match(failed, { code: 1, text: /The editor "false" failed \(1\), so nothing was saved/ });
    t.not((await draftOf(b, id)).digest, before.digest);
  },
);

t.test('decisions on several runs, each on its own', async (t) => {
  const b = await bench(t);
  const { run } = b;
  const [one, two, three] = [await b.stage(), await b.stage(), await b.stage()];
  const claimed = await run('runs', 'claim', one, two, 'run_none', three);
  t.match(claimed, { code: 3, stderr: /^culprit: run_none: .*\n$/ });
  t.match(
    claimed.stdout,
    new RegExp(`^${one}: claimed by ada .*\n${two}: claimed.*\n${three}: claimed.*\n$`),
  );
  t.match(await run('runs', 'approve', one, two), {
    code: 0,
    stdout: new RegExp(`^${one}: .*staged_draft\n${two}: .*staged_draft\n$`),
  });
  const both = await run('runs', 'approve', one, three, '--json');
  t.match(both, { code: 2, stderr: /Approving Gate 2 signs the draft/ });
  t.match(JSON.parse(both.stdout), {
    runs: [
      { run_id: one, ok: false, error: { code: 'precondition_required' } },
      { run_id: three, ok: true, result: { state: 'staged_draft' } },
    ],
    not_tried: [],
  });
  t.equal((await b.engine.run(one)).state, 'staged_draft', 'nothing is signed');
  const rejected = await run('runs', 'reject', one, two, three, three, '--reason', 'no bug');
  t.match(rejected, { code: 0, stdout: /^(run_\S+: rejected.*\n){3}$/ }, rejected.stderr);
  const reader = await b.withScopes('read');
  const [noReason, digest, forbidden, gone, merge] = await Promise.all([
    run('runs', 'reject', one, two),
    run('runs', 'approve', one, two, '--digest', '0'.repeat(12)),
    reader('runs', 'reopen', one, two),
    run('runs', 'reopen', one, two, '--url', 'http://127.0.0.1:9'),
    run('runs', 'merge', one, two, '--into', three),
  ]);
  t.match(noReason, { code: 2, stderr: /^culprit: --reason TEXT is missing.*\n$/ });
  t.match(digest, { code: 2, stderr: /--digest signs one draft/ });
  t.match(forbidden, { code: 4, stderr: new RegExp(`${one}: .*\n.*${two}: `) });
  t.match(gone, { code: 5, stderr: /does not respond/ });
  t.match(merge, { code: 2, stderr: /Too many arguments/ });
  const signed = await b.drafted();
  const { draft } = await b.engine.run(signed);
  t.match(await run('runs', 'approve', signed, '--digest', draft?.digest ?? ''), { code: 0 });
  const issue = (await b.engine.run(signed)).publication?.issue_url;
  t.same((await run('runs', 'approve', signed)).stdout, `already published: ${issue}\n`);
});

t.test('runs are listed by a saved view of the board', async (t) => {
  const b = await bench(t);
  const { run } = b;
  const [drafted, raw] = [await b.drafted(), await b.stage()];
  const view = { name: 'to sign', address: '?state=gate2&search=level%3Aerror&order=active' };
  await b.api({ method: 'PUT', path: '/api/v1/views', body: view });
  const listed = JSON.parse((await run('runs', 'list', '--view', 'to sign', '--json')).stdout);
  t.match(listed.runs, [{ run_id: drafted }]);
  t.equal(listed.runs.length, 1);
  const changed = await run('runs', 'list', '--view', 'to sign', '--state', 'staged_raw');
  t.match(changed.stdout, raw, 'flags change the view');
  t.match(await run('runs', 'list', '--view', 'none'), {
    code: 3,
    stderr: /No saved view "none"\. You have "to sign"\./,
  });
});

t.test('without a model that can investigate the command says what an agent needs', async (t) => {
  const b = await bench(t);
  const id = await b.drafted();
  const told = await b.run('investigate', id);
  t.equal(told.code, 1);
  t.match(
    told.stdout,
    /culprit token new agent --scopes read,investigate\n.*culprit mcp.*CULPRIT_TOKEN.*\n.*investigate_run.*run_/,
  );
  t.match(await b.run('investigate', id, '--stop'), { code: 0, stdout: 'The run has no running' });
  t.match(await b.run('ask', id, 'blame-lines', '--path', 'a.js'), {
    code: 2,
    stderr: 'blame-lines needs --from and --to.',
  });
  const { digest } = await draftOf(b, id);
  t.match(await b.run('suspects', id, '--by', 'ranking'), { code: 0, stdout: `Digest: ${digest}` });
  t.match(await b.run('suspects', id, '--by', 'investigation'), {
    code: 6,
    stderr: /finding that passed its checks/,
  });
  t.match(await b.run('suspects', id, '--by', 'chance'), { code: 2 });
});
