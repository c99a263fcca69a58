import type { Scene } from './state.js';

/** The page `docs/pictures/states/README.md`. */
export function contactPage(scenes: readonly Scene[]): string {
  const parts = scenes.flatMap(({ title, states }) => [
    `## ${title}\n`,
    ...states.map(({ name, says }) => `### ${name}\n\n${says}\n\n![${name}](${name}.webp)\n`),
  ]);
  return `# The board in every state

Each picture shows one state at 1440, 1024 and 390 px, light and dark. \`npm run pictures\` retakes the pictures and writes this page;
\`npm run test:full\` visits every state in a browser and checks it with axe.

${parts.join('\n')}`;
}
