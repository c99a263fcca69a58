// Extracts what the double of GitHub validates against from GitHub's own OpenAPI description, whose package has 385 MB: the routes that
// the double has, what they refer to, and the names of all others. Downloads the package for that; with --check only compares. Run it when the double gets a route, or for a newer description.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './lib/root.mjs';

const PACKAGE = '@octokit/openapi@23.0.2';
const SOURCE = 'generated/api.github.com.json';
const FILE = join(root, 'packages/doubles/src/github/description.json');
const DOUBLE = join(root, 'packages/doubles/src/github');
/** Says nothing about what is valid. */
const PROSE = [
  'title',
  'summary',
  'tags',
  'operationId',
  'externalDocs',
  'example',
  'examples',
  'default',
  'deprecated',
];

const text = downloaded();
const description = JSON.parse(text);
const routes = new Set([
  // Answered outside the double's table of routes; the clock is compared with the root.
  'GET /',
  'GET /user',
  'GET /rate_limit',
  ...readdirSync(DOUBLE, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .flatMap(
      (name) =>
        readFileSync(join(DOUBLE, name), 'utf8').match(
          /(?<=')(?:GET|POST|PATCH) \/(?:repos|app)\/[^' ]+(?=')/g,
        ) ?? [],
    ),
]);
const paths = {};
const others = [];
for (const [path, operations] of Object.entries(description.paths))
  for (const [method, { parameters, requestBody, responses }] of Object.entries(operations)) {
    const route = `${method.toUpperCase()} ${path}`;
    if (!routes.delete(route)) others.push(route);
    else paths[path] = { ...paths[path], [method]: bare({ parameters, requestBody, responses }) };
  }
if (routes.size > 0) throw new Error(`GitHub does not describe ${[...routes].join(', ')}`);
const components = {};
addReferences(paths);
// What events say of a pull request.
addComponent('schemas', 'pull-request');
const events = Object.keys(description.components.schemas).filter((name) => name.startsWith('webhook-'));
const source = {
  package: PACKAGE,
  file: SOURCE,
  sha256: createHash('sha256').update(text).digest('hex'),
  license: 'MIT',
};
const made = `{"source":${JSON.stringify(source)},
"paths":${JSON.stringify(paths)},
"components":${JSON.stringify(components)},
"others":${JSON.stringify(others)},
"events":${JSON.stringify(events)}}
`;
if (!process.argv.includes('--check')) writeFileSync(FILE, made);
else if (readFileSync(FILE, 'utf8') !== made) throw new Error(`${FILE} is not what ${PACKAGE} says.`);
console.log(`${Object.keys(paths).length} paths, ${made.length} bytes`);

function downloaded() {
  const folder = mkdtempSync(join(tmpdir(), 'github-description-'));
  try {
    execFileSync('npm', ['pack', '--silent', PACKAGE, '--pack-destination', folder]);
    const [archive] = readdirSync(folder);
    return execFileSync('tar', ['-xzOf', join(folder, archive), `package/${SOURCE}`], {
      encoding: 'utf8',
      maxBuffer: 1e9,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Without prose. Members of `properties` are names, not keywords. A description counts where it has a range. */
function bare(value, names = false) {
  if (Array.isArray(value)) return value.map((one) => bare(one));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([key, member]) => {
    if (names) return [[key, bare(member)]];
    if (key === 'description' && !/\(max(?:imum)? \d+\)/.test(member)) return [];
    if (PROSE.includes(key) || key.startsWith('x-') || member === undefined) return [];
    if (key === 'content') return [[key, bare(onlyJson(member), true)]];
    return [[key, bare(member, key === 'properties' || key === 'responses' || key === 'headers')]];
  });
  return Object.fromEntries(kept);
}

function onlyJson({ 'application/json': json }) {
  return json === undefined ? {} : { 'application/json': json };
}

function addReferences(value) {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === '$ref' && typeof member === 'string') addComponent(...member.split('/').slice(2));
    else addReferences(member);
  }
}

function addComponent(kind, name) {
  components[kind] ??= {};
  if (components[kind][name] !== undefined) return;
  components[kind][name] = bare(description.components[kind][name]);
  addReferences(components[kind][name]);
}
