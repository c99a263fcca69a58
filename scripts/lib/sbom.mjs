// The release's bill of materials, in CycloneDX: what npm makes of the lock file, without what is only used to build and test.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Their dependencies are the release's. */
const PRODUCTS = ['packages/host', 'packages/embed'];
/** Development dependencies that the board's bundle contains. */
export const BUNDLED = [
  '@preact/signals',
  'mdast-util-from-markdown',
  'mdast-util-gfm',
  'micromark-extension-gfm',
  'preact',
  'prismjs',
];

/** @param {string} root @returns {string} CycloneDX JSON */
export function sbom(root) {
  const all = npmSbom(root);
  const lock = read(root, 'package-lock.json').packages;
  const peers = optionalPeers(lock);
  const uses = new Map(
    all.dependencies.map(({ ref, dependsOn }) => [
      ref,
      dependsOn.filter((one) => peers.get(ref)?.has(nameOf(one)) !== true),
    ]),
  );
  const bundle = bundled(lock);
  const products = PRODUCTS.map((folder) => {
    const { name, version, dependencies } = lock[folder];
    const ref = refOf(name, version);
    uses.set(
      ref,
      Object.entries({ ...dependencies, ...bundle }).map(([one, range]) => refOf(one, range)),
    );
    return ref;
  });
  const { version, license } = lock[PRODUCTS[0]];
  const release = refOf('culprit', version);
  uses.set(release, products);
  const kept = reachable(release, uses);
  const component = {
    'bom-ref': release,
    type: 'application',
    name: 'culprit',
    version,
    licenses: [{ license: { id: license } }],
  };
  return `${JSON.stringify(
    {
      ...all,
      metadata: { ...all.metadata, component },
      components: all.components.filter((one) => kept.has(one['bom-ref'])).map(described),
      dependencies: [...kept].map((ref) => ({ ref, dependsOn: uses.get(ref) ?? [] })),
    },
    null,
    1,
  )}\n`;
}

/** npm names a workspace by its folder, and marks as `development` what is bundled. */
function described({ properties: _, ...component }) {
  return { ...component, name: nameOf(component['bom-ref']) };
}

const nameOf = (ref) => ref.replace(/(?!^)@.*$/, '');

/** By component: what it can use if it is there, such as a type checker. Users do not get these. */
function optionalPeers(lock) {
  return new Map(
    Object.entries(lock).map(([path, { name, version, peerDependenciesMeta = {} }]) => [
      `${name ?? path.split('node_modules/').at(-1)}@${version}`,
      new Set(Object.keys(peerDependenciesMeta).filter((peer) => peerDependenciesMeta[peer].optional)),
    ]),
  );
}

function npmSbom(root) {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 256 * 1_024 * 1_024,
  });
  if (status !== 0) throw new Error(`npm sbom failed:\n${stderr}`);
  return JSON.parse(stdout);
}

const bundled = (lock) =>
  Object.fromEntries(
    BUNDLED.map((name) => [
      name,
      (lock[`packages/board/node_modules/${name}`] ?? lock[`node_modules/${name}`]).version,
    ]),
  );

/** As npm names components; an alias such as `npm:uwebsockets@3.0.6` is the package that it stands for. */
const refOf = (name, version) =>
  version.startsWith('npm:') ? version.slice('npm:'.length) : `${name}@${version}`;

function reachable(from, uses) {
  const found = new Set([from]);
  for (const ref of found) for (const next of uses.get(ref) ?? []) found.add(next);
  return found;
}

function read(root, file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}
