// Everything that is done with a crash until a reviewer sees its draft, stage by stage. The callers pass the functions: tests run the
// sources, benchmarks the package.
export const deliveryOf = (crash) => ({
  ...{ sequence: 1, event_id: 'e', project: 'default', door: 'sdk', tracker: 'sentry', raw_sha256: '' },
  ...{ received_at: '2026-11-21T10:00:00.000Z', headers: {}, attachments: [], redactions: 0, crash },
});

const DRAFT_CONFIG = { publishRepository: 'shop/shop', labels: [], assignees: [], commitLabels: false };
const NO_LINKS = { commit: null, line: null };

/** The stages that run for every crash. What they made is in the result, so that its size can be counted. */
export function receiveWith(core, crash) {
  const { value } = core.fitShape(crash);
  core.checkCrashObject(value, { strict: false });
  const clean = core.sanitiseJson(value).value;
  const event = core.normalise(deliveryOf(clean));
  const { fingerprint } = core.fingerprintsOf(event);
  const title = core.titleOf(event);
  const bounded = core.boundEvent(event, core.EVENT_BYTES);
  return { event, bounded, fingerprint, title };
}

/** The draft of a received crash whose code is unknown. */
export function draftWith(core, { bounded, fingerprint, title }) {
  const at = bounded.received_at;
  const incident = {
    ...{ title, fingerprint, level: bounded.level, platform: bounded.platform, occurrences: 1 },
    ...{ first_seen: at, last_seen: at, releases: [], environments: [], doors: ['sdk'], regression_of: null },
  };
  const explanation = { source: 'template', model: null, claims: [], insufficient: true, note: null };
  return core.composeDraft(
    {
      ...{ incident, event: bounded, thrown: core.crashException(bounded), located: [] },
      ...{ links: NO_LINKS, revision: null, excerpt: null, suspects: [], no_suspect: null, explanation },
    },
    DRAFT_CONFIG,
  );
}
