// Which way imports may point. One rule for each sentence of docs/architecture.md's laws 1 and 2.
// packages/host/test/laws.test.ts breaks each rule on purpose and expects to be told.

const coreSource = '^packages/core/src/';
const domain = `${coreSource}domain/`;
const ports = `${coreSource}ports/`;
// Said once, by everything-resolves.
const unresolved = '^\\.';
const errors = `${coreSource}errors/`;
const resilience = `${coreSource}resilience/`;

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Modules do not need each other in a circle: move what both need into a third.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'core-imports-nobody',
      comment: 'core never imports connectors or host: take it as a port instead.',
      severity: 'error',
      from: { path: '^packages/core/src/' },
      to: { path: '^packages/(connectors|host)/' },
    },
    {
      name: 'connectors-import-core-only',
      comment: 'connectors never import host.',
      severity: 'error',
      from: { path: '^packages/connectors/src/' },
      to: { path: '^packages/host/' },
    },
    {
      name: 'no-deep-imports',
      comment: 'Another package is imported by its name and public subpath, never by a path into it.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/',
        pathNot: ['^packages/$1/', '^packages/[^/]+/dist/', '^packages/[^/]+/test/support/'],
      },
    },
    {
      name: 'no-deep-imports-by-path',
      comment: 'Another package is imported by its name and public subpath, never by a path into its dist.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/[^/]+/dist/', pathNot: '^packages/$1/', dependencyTypes: ['local'] },
    },
    {
      name: 'domain-is-pure',
      comment: 'domain imports nothing outside domain.',
      severity: 'error',
      from: { path: domain },
      to: { pathNot: domain },
    },
    {
      name: 'ports-know-domain-only',
      comment: 'ports import domain (and each other), as types only.',
      severity: 'error',
      from: { path: ports },
      to: { pathNot: [domain, ports] },
    },
    {
      name: 'ports-import-types-only',
      comment: 'A port is a shape: it imports types, no code.',
      severity: 'error',
      from: { path: ports },
      to: { dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'errors-stand-alone',
      comment: 'errors import nothing outside errors.',
      severity: 'error',
      from: { path: errors },
      to: { pathNot: errors },
    },
    {
      name: 'resilience-stands-alone',
      comment: 'resilience imports nothing outside resilience except lru-cache.',
      severity: 'error',
      from: { path: resilience },
      to: { pathNot: [resilience, 'node_modules/lru-cache/'] },
    },
    {
      name: 'steps-know-domain-ports-errors',
      comment:
        'pipeline and gates import domain, ports, errors, resilience, their own kind, node:crypto, valibot, trace-mapping and tokens.',
      severity: 'error',
      from: { path: `${coreSource}(pipeline|gates)/` },
      to: {
        pathNot: [
          domain,
          ports,
          errors,
          resilience,
          `${coreSource}(pipeline|gates)/`,
          `${coreSource}(engine-api|di/tokens|connector/registry|runs/[^/]+)\\.ts$`,
          '^(node:)?crypto$',
          'node_modules/(valibot|tsyringe|@jridgewell/trace-mapping)/',
          unresolved,
        ],
      },
    },
    {
      name: 'steps-do-not-pass-gates',
      comment: 'A pipeline step knows no gate.',
      severity: 'error',
      from: { path: `${coreSource}pipeline/` },
      to: { path: `${coreSource}gates/gate-` },
    },
    {
      name: 'tsyringe-is-confined',
      comment: 'Only core/src/di, engine*.ts and the classes that di builds know tsyringe.',
      severity: 'error',
      from: { path: '^packages/', pathNot: `${coreSource}(di/|engine[^/]*\\.ts$|engine/|gates/|pipeline/)` },
      to: { path: 'node_modules/(tsyringe|reflect-metadata)/' },
    },
    {
      name: 'core-needs-no-machine',
      comment:
        'core runs anywhere: tsyringe, reflect-metadata, valibot, trace-mapping, lru-cache and node:crypto, nothing else.',
      severity: 'error',
      from: { path: coreSource, pathNot: `${coreSource}testing/` },
      to: {
        pathNot: [
          coreSource,
          '^(node:)?crypto$',
          'node_modules/(tsyringe|reflect-metadata|valibot|lru-cache|@jridgewell/trace-mapping)/',
          unresolved,
        ],
      },
    },
    {
      name: 'core-testing-needs-no-files',
      comment: 'The published suites and fakes use no file system, no network and no test runner.',
      severity: 'error',
      from: { path: `${coreSource}testing/` },
      to: { path: ['^(node:)?(fs|fs/promises|http|https|net|child_process)$', 'node_modules/(tap|@tapjs)/'] },
    },
    {
      name: 'product-code-knows-no-testing',
      comment: 'testing/ is for tests.',
      severity: 'error',
      from: { path: coreSource, pathNot: `${coreSource}testing/` },
      to: { path: `${coreSource}testing/` },
    },
    {
      name: 'connectors-are-strangers',
      comment: 'A connector folder imports its own files, shared/ and core; never a sibling.',
      severity: 'error',
      from: { path: '^packages/connectors/src/([^/]+)/' },
      to: { path: '^packages/connectors/src/', pathNot: ['^packages/connectors/src/($1|shared)/'] },
    },
    {
      name: 'shared-is-below-connectors',
      comment: 'shared/ knows no connector.',
      severity: 'error',
      from: { path: '^packages/connectors/src/shared/' },
      to: { path: '^packages/connectors/src/', pathNot: '^packages/connectors/src/shared/' },
    },
    {
      name: 'only-the-driver-knows-uws',
      comment: 'uWebSockets.js is loaded by host/src/http alone, so that handlers run on any server.',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/host/(src/http/|test/)' },
      to: { path: ['node_modules/uWebSockets\\.js/', '^uWebSockets\\.js$'] },
    },
    {
      name: 'everything-resolves',
      comment: 'An import that leads nowhere. After a new file: npm run build.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^packages/[^/]+/dist/'] },
    exclude: { path: '(^|/)(test/fixtures|dist-test)/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
    },
  },
};
