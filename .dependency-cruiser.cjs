// Directions of imports: laws 1 and 2 of docs/architecture.md. packages/host/test/laws.test.ts breaks each rule.

const coreSource = '^packages/core/src/';
const domain = `${coreSource}domain/`;
const ports = `${coreSource}ports/`;
// Reported by everything-resolves only.
const unresolved = '^\\.';
const errors = `${coreSource}errors/`;
const resilience = `${coreSource}resilience/`;

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'No import cycles. Move what both modules need into a third.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'core-imports-no-package',
      comment: 'core never imports connectors or host. Use a port.',
      severity: 'error',
      from: { path: '^packages/core/src/' },
      to: { path: '^packages/(client|connectors|host)/' },
    },
    {
      name: 'client-imports-nothing',
      comment: 'The client runs anywhere, without dependencies: it imports its own files only.',
      severity: 'error',
      from: { path: '^packages/client/src/' },
      to: { pathNot: ['^packages/client/src/', unresolved] },
    },
    {
      name: 'connectors-import-core-only',
      comment: 'connectors never import host.',
      severity: 'error',
      from: { path: '^packages/connectors/src/' },
      to: { path: '^packages/host/' },
    },
    {
      name: 'board-imports-client-and-core-only',
      comment:
        'The board imports its own files, the client and core; the host serves it, but shares no code with it.',
      severity: 'error',
      from: { path: '^packages/board/src/' },
      to: { path: '(^packages/|@culprit/)(connectors|doubles|embed|host)/' },
    },
    {
      name: 'no-deep-imports',
      comment: 'Import another package by its name and public subpath, never by a path into it.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/',
        pathNot: ['^packages/$1/', '^packages/[^/]+/dist/', '^packages/[^/]+/test/support/'],
      },
    },
    {
      name: 'no-deep-imports-by-path',
      comment: 'Import another package by its name and public subpath, never by a path into its dist.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/[^/]+/dist/', pathNot: '^packages/$1/', dependencyTypes: ['local'] },
    },
    {
      name: 'domain-is-pure',
      comment: 'domain imports nothing outside domain but valibot: its schemas are its types.',
      severity: 'error',
      from: { path: domain },
      to: { pathNot: [domain, 'node_modules/valibot/'] },
    },
    {
      name: 'ports-import-domain-only',
      comment: 'ports import domain (and each other), as types only.',
      severity: 'error',
      from: { path: ports },
      to: { pathNot: [domain, ports] },
    },
    {
      name: 'ports-import-types-only',
      comment: 'A port is an interface: it imports types only.',
      severity: 'error',
      from: { path: ports },
      to: { dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'errors-import-nothing',
      comment: 'errors import nothing outside errors.',
      severity: 'error',
      from: { path: errors },
      to: { pathNot: errors },
    },
    {
      name: 'resilience-imports-nothing',
      comment: 'resilience imports nothing outside resilience except lru-cache.',
      severity: 'error',
      from: { path: resilience },
      to: { pathNot: [resilience, 'node_modules/lru-cache/'] },
    },
    {
      name: 'steps-import-inwards-only',
      comment:
        'pipeline, gates and operations import domain, ports, errors, resilience, their own kind, node:crypto, valibot, trace-mapping and di/inject.ts.',
      severity: 'error',
      from: { path: `${coreSource}(pipeline|gates|operations)/` },
      to: {
        pathNot: [
          domain,
          ports,
          errors,
          resilience,
          `${coreSource}(pipeline|gates|operations)/`,
          `${coreSource}(engine-api|engine-results|di/inject|runs/[^/]+)\\.ts$`,
          '^(node:)?crypto$',
          'node_modules/(valibot|@jridgewell/trace-mapping)/',
          unresolved,
        ],
      },
    },
    {
      name: 'steps-import-no-gates',
      comment: 'Pipeline steps do not import gates or operations.',
      severity: 'error',
      from: { path: `${coreSource}pipeline/` },
      to: { path: `${coreSource}(gates/gate-|operations/)` },
    },
    {
      name: 'tsyringe-is-confined',
      comment:
        'Only core/src/di imports tsyringe: classes name what they need with the decorators of di/inject.ts.',
      severity: 'error',
      from: { path: '^packages/', pathNot: `${coreSource}di/` },
      to: { path: 'node_modules/(tsyringe|reflect-metadata)/' },
    },
    {
      name: 'core-is-portable',
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
      name: 'product-imports-no-testing',
      comment: 'Only tests import testing/.',
      severity: 'error',
      from: { path: coreSource, pathNot: `${coreSource}testing/` },
      to: { path: `${coreSource}testing/` },
    },
    {
      name: 'connectors-are-independent',
      comment:
        'A connector imports its own files, shared/, core and the index of git, which reads copies of repositories, never another connector.',
      severity: 'error',
      from: { path: '^packages/connectors/src/([^/]+)/' },
      to: {
        path: '^packages/connectors/src/',
        pathNot: ['^packages/connectors/src/($1|shared)/', '^packages/connectors/src/git/index\\.ts$'],
      },
    },
    {
      name: 'shared-is-below-connectors',
      comment: 'shared/ imports no connector.',
      severity: 'error',
      from: { path: '^packages/connectors/src/shared/' },
      to: { path: '^packages/connectors/src/', pathNot: '^packages/connectors/src/shared/' },
    },
    {
      name: 'only-http-imports-uws',
      comment: 'Only host/src/http imports uWebSockets.js, so that handlers run on any server.',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/host/(src/http/|test/)' },
      to: { path: ['node_modules/uWebSockets\\.js/', '^uWebSockets\\.js$'] },
    },
    {
      name: 'only-the-demo-runs-commands',
      comment: 'Only host/src/bin and demo import cli. Move what both need out of it.',
      severity: 'error',
      from: { path: '^packages/host/src/', pathNot: '^packages/host/src/(bin|cli|demo)/' },
      to: { path: '^packages/host/src/cli/' },
    },
    {
      name: 'servers-read-no-settings',
      comment:
        'Edge, core and their HTTP servers take their options: settings, their composition and the commands are above them.',
      severity: 'error',
      from: { path: '^packages/host/src/(edge|fetch|http|mcp|server|source-maps|webhooks)/' },
      to: {
        path: '^packages/host/src/(backtest|compose|config|demo|replay|report)/',
        // These know no setting.
        pathNot: '^packages/host/src/config/(native-limits|network|private-files|setting)\\.ts$',
      },
    },
    {
      name: 'server-is-on-top',
      comment: 'Core’s server imports these folders; they never import it. Pass what they need from it.',
      severity: 'error',
      from: { path: '^packages/host/src/(audit|edge|http|mcp|source-maps|webhooks)/' },
      to: { path: '^packages/host/src/server/' },
    },
    {
      name: 'everything-resolves',
      comment: 'The import cannot be resolved. After adding a file, run: npm run build',
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
