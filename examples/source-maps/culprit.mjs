/** Options of Sentry's plugins for esbuild, Vite and webpack, which upload to Culprit. */
export const culprit = {
  url: process.env.CULPRIT_URL,
  authToken: process.env.CULPRIT_TOKEN,
  org: 'culprit', // any name: an installation is one organisation
  project: 'default',
  telemetry: false,
  silent: true,
  // Maps are found by debug id, so the plugin need not announce a release.
  release: { name: process.env.SENTRY_RELEASE, create: false, finalize: false, inject: false },
};
