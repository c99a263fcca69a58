import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const VERSIONS_TS = 'packages/core/src/pipeline/versions.ts';
const SEMVER = /^(\d+)\.(\d+)\.(\d+)$/;

/** Whether `version` is MAJOR.MINOR.PATCH and above `current`. */
export function isNewer(version, current) {
  const [next, now] = [version, current].map((text) => SEMVER.exec(text)?.slice(1).map(Number));
  if (!next || !now) return false;
  const at = next.findIndex((part, index) => part !== now[index]);
  return at !== -1 && next[at] > now[at];
}

/** Where the version appears: `{ file, version }`, dependencies on our own packages and tags of this commit included. The first is the root's. */
export function statedVersions(root) {
  const manifests = manifestsOf(root).flatMap((file) => {
    const { name, version, dependencies = {} } = JSON.parse(readFileSync(join(root, file), 'utf8'));
    const own = Object.entries(dependencies).filter(([dependency]) => isOwn(dependency));
    return [
      ...(isOwn(name) || file === 'package.json' ? [{ file, version }] : []),
      ...own.map(([dependency, wanted]) => ({ file: `${file} (${dependency})`, version: wanted })),
    ];
  });
  const code = /culprit: '([^']+)'/.exec(readFileSync(join(root, VERSIONS_TS), 'utf8'))?.[1];
  return [...manifests, { file: VERSIONS_TS, version: code }, ...tagsHere(root)];
}

/** Why the tag of a version must not be pushed; `null` for other refs, deleted ones, and a tag that agrees with its commit. */
export function tagFault(root, ref, commit) {
  const [, tagged] = /^refs\/tags\/v(\d.*)$/.exec(ref) ?? [];
  if (tagged === undefined || /^0+$/.test(commit)) return null;
  const { version } = JSON.parse(git(root, 'show', `${commit}:package.json`));
  if (version === tagged) return null;
  return `The tag v${tagged} is on a commit whose version is ${version}. Tag v${version}, or the commit of ${tagged}: git tag --delete v${tagged}`;
}

/** Tags of versions at the current commit; none outside of a clone. */
function tagsHere(root) {
  if (!existsSync(join(root, '.git'))) return [];
  const tags = git(root, 'tag', '--points-at', 'HEAD', '--list', 'v[0-9]*').split('\n');
  return tags.filter((tag) => tag !== '').map((tag) => ({ file: `tag ${tag}`, version: tag.slice(1) }));
}

function git(root, ...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' });
}

/** New texts of all files in which the version appears, by path. */
export function setVersion(root, version) {
  const changed = {};
  for (const file of manifestsOf(root))
    changed[file] = withVersion(readFileSync(join(root, file), 'utf8'), version);
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  lock.version = version;
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!path.includes('node_modules/')) setManifest(entry, version);
  }
  changed['package-lock.json'] = `${JSON.stringify(lock, null, 2)}\n`;
  const code = readFileSync(join(root, VERSIONS_TS), 'utf8');
  changed[VERSIONS_TS] = code.replace(/culprit: '[^']+'/, `culprit: '${version}'`);
  return changed;
}

/** The changelog with everything under "Unreleased" moved to a section of `version`. */
export function cutChangelog(root, version, date) {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const heading = '## [Unreleased]\n';
  const [, unreleased = ''] = text.split(heading);
  if (!/^- /m.test(unreleased.split(/^## /m, 1)[0]))
    throw new Error('CHANGELOG.md has no unreleased changes.');
  return { 'CHANGELOG.md': text.replace(heading, `${heading}\n## [${version}] - ${date}\n`) };
}

function manifestsOf(root) {
  const inFolder = (folder) =>
    readdirSync(join(root, folder))
      .map((name) => `${folder}/${name}/package.json`)
      .filter((file) => existsSync(join(root, file)));
  return ['package.json', ...inFolder('packages'), ...inFolder('examples')];
}

function withVersion(text, version) {
  const manifest = JSON.parse(text);
  setManifest(manifest, version);
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Examples have no version, or one that does not change. */
function setManifest(manifest, version) {
  if (manifest.version !== undefined && (isOwn(manifest.name) || manifest.name === 'culprit-monorepo')) {
    manifest.version = version;
  }
  for (const dependency of Object.keys(manifest.dependencies ?? {})) {
    if (isOwn(dependency)) manifest.dependencies[dependency] = version;
  }
}

const isOwn = (name = '') => name.startsWith('@culprit/');
