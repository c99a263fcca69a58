/** The longest files of `npm test`, longest first. They start first, so that none runs alone at the end. A run prints the slowest. */
export const LONGEST = [
  'packages/host/test/board.test.ts',
  'packages/connectors/test/github/github.test.ts',
  'packages/host/test/cli.test.ts',
  'packages/host/test/board-story.test.ts',
  'packages/host/test/core-faults.test.ts',
  'packages/host/test/edge-faults.test.ts',
  'packages/host/test/github.test.ts',
  'packages/host/test/demo/demo.test.ts',
  'packages/host/test/http.test.ts',
  'packages/host/test/replay/host-commands.test.ts',
  'packages/host/test/live-client.test.ts',
  'packages/host/test/board-keyboard.test.ts',
  'packages/host/test/scripts.test.ts',
  'packages/connectors/test/git/textbook.test.ts',
  'packages/connectors/test/git/code-host.test.ts',
];
