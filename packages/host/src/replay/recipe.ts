import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git } from '@culprit/connectors/git';
import { type Connector, CulpritError } from '@culprit/core';
import type { CodeHost } from '@culprit/core/connector';
import type { RecordedCall } from '@culprit/core/internal/domain/evidence';
import * as v from 'valibot';
import { runGit } from './run-git.js';

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

export interface BuiltCommit {
  readonly sha: string;
  readonly title: string;
  readonly author: string;
  readonly committedAt: string;
}

/**
 * Creates the recipe's repository in a new folder, with the last commit of `main` checked out. The same commits have the same
 * SHAs on every machine.
 */
export function buildRecipe(recipe: Recipe, folder: string): readonly BuiltCommit[] {
  mkdirSync(folder, { recursive: true });
  const run = (args: readonly string[], input?: string) => gitOrThrow(folder, args, input);
  run(['init', '--quiet', '--template=', '.']);
  run(['symbolic-ref', 'HEAD', 'refs/heads/main']);
  const files = new Map<string, string>();
  const built: BuiltCommit[] = [];
  for (const commit of recipe) {
    const before = built.length === 0 ? null : [...files.keys()];
    change(commit, files, built);
    run(['fast-import', '--quiet', '--date-format=raw'], commitStream(commit, files, before));
    const sha = run(['rev-parse', 'refs/heads/main']).trim();
    if (commit.tag !== undefined) run(['update-ref', `refs/tags/${commit.tag}`, sha]);
    const { title, author } = commit;
    built.push({ sha, title, author, committedAt: new Date(commit.at).toISOString() });
  }
  run(['-c', 'core.autocrlf=false', 'reset', '--quiet', '--hard', 'refs/heads/main']);
  return built;
}

function change(
  { rename = {}, remove = [], write = {}, ignores }: Recipe[number],
  files: Map<string, string>,
  built: readonly BuiltCommit[],
): void {
  for (const [from, to] of Object.entries(rename)) files.set(to, files.get(from) ?? '');
  for (const path of [...Object.keys(rename), ...remove]) files.delete(path);
  for (const [path, content] of Object.entries(write)) {
    files.set(path, typeof content === 'string' ? content : `${content.join('\n')}\n`);
  }
  if (ignores === undefined) return;
  const ignored = built.find(({ title }) => title === ignores);
  files.set('.git-blame-ignore-revs', `# ${ignores}\n${ignored?.sha}\n`);
}

/** One commit in the format of `git fast-import`, with all files; lengths in bytes. `before`: the parent's files. */
function commitStream(
  { author, at, title, body }: Recipe[number],
  files: ReadonlyMap<string, string>,
  before: readonly string[] | null,
): string {
  const ascii = author.normalize('NFD').replace(/[^A-Za-z ]/g, '');
  const mail = `${ascii.toLowerCase().replaceAll(' ', '.')}@example.org`;
  const who = `${author} <${mail}> ${Math.floor(Date.parse(at) / 1000)} +0000`;
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}`;
  const message = body === undefined ? `${title}\n` : `${title}\n\n${body}\n`;
  const lines = ['commit refs/heads/main', `author ${who}`, `committer ${who}`, data(message)];
  if (before !== null) lines.push('from refs/heads/main^0');
  for (const path of before ?? []) if (!files.has(path)) lines.push(`D ${path}`);
  for (const [path, text] of files) lines.push(`M 100644 inline ${path}`, data(text));
  return `${lines.join('\n')}\n`;
}

function gitOrThrow(cwd: string, args: readonly string[], input?: string): string {
  const { status, stdout, stderr } = runGit(cwd, args, { input, ownSettings: false });
  if (status !== 0) throw new CulpritError('internal', `git ${args[0]} failed: ${stderr.trim()}`);
  return stdout;
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
