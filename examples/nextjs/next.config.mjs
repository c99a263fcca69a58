// biome-ignore lint/style/noDefaultExport: Next.js reads the default export.
export default { serverExternalPackages: ['@culprit/core', '@culprit/connectors', '@culprit/embed'] };
