import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git } from '@culprit/connectors/git';
import { type CodeHost, type Connector, CulpritError, type RecordedCall } from '@culprit/core';
import * as v from 'valibot';
import { createRepository } from './git-repository.js';

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
  const repository = createRepository(folder, { mailDomain: 'example.org' });
  const files = new Map<string, string>();
  const shas = new Map<string, string>();
  for (const commit of recipe) {
    change(commit, files, shas);
    shas.set(commit.title, repository.commit({ ...commit, at: new Date(commit.at), files }));
  }
  repository.checkout();
}

function change(
  { rename = {}, remove = [], write = {}, ignores }: Recipe[number],
  files: Map<string, string>,
  shas: ReadonlyMap<string, string>,
): void {
  for (const [from, to] of Object.entries(rename)) files.set(to, files.get(from) ?? '');
  for (const path of [...Object.keys(rename), ...remove]) files.delete(path);
  for (const [path, content] of Object.entries(write)) {
    files.set(path, typeof content === 'string' ? content : `${content.join('\n')}\n`);
  }
  if (ignores !== undefined) files.set('.git-blame-ignore-revs', `# ${ignores}\n${shas.get(ignores)}\n`);
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
