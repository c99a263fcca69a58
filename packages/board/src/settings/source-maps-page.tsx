import type { Answer } from '@culprit/client';
import { api } from '../api.js';
import { ago, plural } from '../format.js';
import { Action, Card, Cards, useResource } from '../parts/resource.js';
import { Text, visible } from '../parts/text.js';
import { clock } from '../state/clock.js';
import { announcement, may } from '../state/session.js';

type SourceMaps = Answer<'listSourceMaps', 200>;
type Upload = SourceMaps['uploads'][number];

/** Uploaded source maps by release: what they hold, when they were used, delete one. */
export function SourceMapsPage() {
  const { found, act } = useResource(() => api.listSourceMaps());
  const remove = (upload: Upload) =>
    act(
      async () => {
        await api.deleteSourceMaps({ id: upload.id });
        announcement.value = 'Deleted.';
      },
      {
        title: `Delete the source maps of ${nameOf(upload)}?`,
        content: <p>Crashes that are analysed from now on show the built code. Drafts do not change.</p>,
        confirm: 'Delete',
        danger: true,
      },
    );
  return (
    <>
      <p class="soft">
        They lead from built JavaScript to its sources. Upload them with{' '}
        <code>culprit sourcemaps upload DIR --release RELEASE</code>, sentry-cli or a bundler plugin, and a
        token with the scope “release”.
      </p>
      <Cards
        id="source-maps"
        title="Source maps"
        count={found && usage(found)}
        note={found === null ? '' : retention(found)}
        empty="No source maps."
      >
        {found?.uploads.map((upload) => (
          <Card
            key={upload.id}
            title={
              <>
                <b class="untrusted">{nameOf(upload)}</b> <Text of={upload.project} class="pill" />
              </>
            }
            facts={factsOf(upload)}
            actions={
              may('release', upload.project) && (
                <Action
                  label="Delete"
                  name={`Delete the source maps of ${nameOf(upload)}`}
                  run={() => remove(upload)}
                />
              )
            }
          />
        ))}
      </Cards>
    </>
  );
}

function usage({ used_bytes, quota_bytes, project_quota_bytes }: SourceMaps): string {
  const limit = project_quota_bytes === null ? '' : `, at most ${size(project_quota_bytes)} by a project`;
  return `${size(used_bytes)} of ${size(quota_bytes)} used${limit}`;
}

function retention({ keep_ms }: SourceMaps): string {
  return `An upload is deleted ${plural(Number((keep_ms / DAY_MS).toFixed(1)), 'day')} after its last use. If the quota is reached, uploads that were not used for a week give way to new ones.`;
}

function nameOf({ release, dist, names }: Upload): string {
  if (release === null) return visible(names[0] ?? 'debug ids');
  return visible(dist === null ? release : `${release} (${dist})`);
}

function factsOf({ files, bytes, uploaded_at, used_at, kept_until, unreadable }: Upload): readonly string[] {
  const now = clock.value;
  return [
    plural(files, 'built file'),
    size(bytes),
    `uploaded ${ago(uploaded_at, now)}`,
    // Kept to the hour: a use soon after the upload is not known.
    ...(used_at > uploaded_at ? [`last used ${ago(used_at, now)}`] : []),
    `kept until ${kept_until.slice(0, 10)}`,
    ...(unreadable.length === 0 ? [] : [`${unreadable.length} unreadable: ${visible(unreadable[0] ?? '')}`]),
  ];
}

const DAY_MS = 86_400_000;
const KIB = 1024;

function size(bytes: number): string {
  if (bytes < KIB ** 2) return `${Math.ceil(bytes / KIB)} KiB`;
  if (bytes < KIB ** 3) return `${Math.round(bytes / KIB ** 2)} MiB`;
  return `${Number((bytes / KIB ** 3).toFixed(1))} GiB`;
}
