import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git } from '@culprit/connectors/git';
import { type CodeHost, type Connector, CulpritError, type RecordedCall } from '@culprit/core';
import * as v from 'valibot';
import { neutralEnvironment } from '../config/child-env.js';

const text = v.union([v.string(), v.array(v.string())]);
/** `history.json`: commits, oldest first. A file is text or a list of lines. */
const recipeSchema = v.array(
  v.strictObject({
    title: v.string(),
    body: v.optional(v.string()),
    author: v.string(),
    at: v.pipe(v.string(), v.isoTimestamp()),
    /** Old path → new path; before `write`. */
    rename: v.optional(v.record(v.string(), v.string())),
    write: v.optional(v.record(v.string(), text)),
    remove: v.optional(v.array(v.string())),
    tag: v.optional(v.string()),
    /** Title of an earlier commit that blame ignores. */
    ignores: v.optional(v.string()),
  }),
);
export type Recipe = v.InferOutput<typeof recipeSchema>;

export function readRecipe(value: unknown, name: string): Recipe {
  const parsed = v.safeParse(recipeSchema, value);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new CulpritError('malformed', `${name}: ${v.getDotPath(issue) ?? ''} ${issue.message}`);
}

/** Creates the recipe's repository in a new folder, with the last commit checked out. The SHAs are the same everywhere. */
export function buildRecipe(recipe: Recipe, folder: string): void {
  run(folder, ['init', '--quiet', '--template=', '.']);
  run(folder, ['symbolic-ref', 'HEAD', 'refs/heads/main']);
  const files = new Map<string, string>();
  const shas = new Map<string, string>();
  for (const commit of recipe) {
    const removed = change(commit, files, shas);
    run(
      folder,
      ['fast-import', '--quiet', '--date-format=raw'],
      stream(commit, files, removed, shas.size > 0),
    );
    const sha = run(folder, ['rev-parse', 'refs/heads/main']).trim();
    shas.set(commit.title, sha);
    if (commit.tag !== undefined) run(folder, ['update-ref', `refs/tags/${commit.tag}`, sha]);
  }
  run(folder, ['reset', '--quiet', '--hard', 'refs/heads/main']);
}

function change(
  { rename = {}, remove = [], write = {}, ignores }: Recipe[number],
  files: Map<string, string>,
  shas: ReadonlyMap<string, string>,
): readonly string[] {
  for (const [from, to] of Object.entries(rename)) files.set(to, files.get(from) ?? '');
  const removed = [...Object.keys(rename), ...remove];
  for (const path of removed) files.delete(path);
  for (const [path, content] of Object.entries(write)) {
    files.set(path, typeof content === 'string' ? content : `${content.join('\n')}\n`);
  }
  if (ignores !== undefined) files.set('.git-blame-ignore-revs', `# ${ignores}\n${shas.get(ignores)}\n`);
  return removed;
}

function stream(
  { author, at, title, body }: Recipe[number],
  files: ReadonlyMap<string, string>,
  removed: readonly string[],
  hasParent: boolean,
): string {
  const mail = author
    .normalize('NFD')
    .replace(/[^A-Za-z ]/g, '')
    .toLowerCase()
    .replaceAll(' ', '.');
  const who = `${author} <${mail}@example.org> ${Date.parse(at) / 1000} +0000`;
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}`;
  const lines = [`commit refs/heads/main`, `author ${who}`, `committer ${who}`];
  lines.push(data(body === undefined ? `${title}\n` : `${title}\n\n${body}\n`));
  if (hasParent) lines.push('from refs/heads/main^0');
  for (const path of removed) lines.push(`D ${path}`);
  for (const [path, content] of files) lines.push(`M 100644 inline ${path}`, data(content));
  return `${lines.join('\n')}\n`;
}

function run(cwd: string, args: readonly string[], input?: string): string {
  const env = { ...neutralEnvironment(), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  const ended = spawnSync('git', [...args], {
    cwd,
    env,
    encoding: 'utf8',
    ...(input === undefined ? {} : { input }),
  });
  if (ended.error)
    throw new CulpritError('configuration', 'git is not on the PATH. Install it and try again.');
  if (ended.status !== 0) throw new CulpritError('internal', `git ${args[0]} failed: ${ended.stderr.trim()}`);
  return ended.stdout;
}

/** A code host for the recipe's repository under the name that drafts show; `close()` removes it. */
export interface RecipeHost {
  readonly connector: Connector;
  readonly folder: string;
  close(): void;
}

export function recipeHost(recipe: Recipe, name: string): RecipeHost {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-recipe-'));
  buildRecipe(recipe, folder);
  const base = `https://code.example/${name}`;
  const real = git({ links: { commit: `${base}/commit/{sha}`, line: `${base}/blob/{sha}/{path}#L{line}` } });
  const connector: Connector = {
    id: 'recipe',
    setup: async (context) => {
      const { codeHost, ...rest } = await real.setup(context);
      return codeHost === undefined ? rest : { ...rest, codeHost: renamed(codeHost, folder) };
    },
  };
  return { connector, folder, close: () => rmSync(folder, { recursive: true, force: true }) };
}

function renamed(host: CodeHost, folder: string): CodeHost {
  return {
    tree: (_name, ...rest) => host.tree(folder, ...rest),
    blame: (_name, ...rest) => host.blame(folder, ...rest),
    commits: (_name, ...rest) => host.commits(folder, ...rest),
    diff: (_name, ...rest) => host.diff(folder, ...rest),
  };
}

/** Each answer once, in a stable order, for a scenario. */
export function distinctAnswers(calls: readonly RecordedCall[]): readonly RecordedCall[] {
  const known = new Map<string, RecordedCall>();
  for (const call of calls) {
    if (call.port === 'code_host') known.set(JSON.stringify([call.method, call.request]), call);
  }
  return [...known.values()];
}
