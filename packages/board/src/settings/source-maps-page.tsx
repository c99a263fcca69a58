import type { Answer } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import { ago, plural } from '../format.js';
import { Button } from '../parts/button.js';
import { ask } from '../parts/dialog.js';
import { Text, visible } from '../parts/text.js';
import { clock } from '../state/clock.js';
import { announcement, may, report } from '../state/session.js';

type SourceMaps = Answer<'listSourceMaps', 200>;
type Upload = SourceMaps['uploads'][number];

/** Uploaded source maps by release: what they hold, when they were used, delete one. */
export function SourceMapsPage() {
  const found = useSignal<SourceMaps | null>(null);
  const read = async () => {
    try {
      found.value = await api.listSourceMaps();
    } catch (error) {
      report(error);
    }
  };
  useEffect(() => void read(), []);
  const remove = async (upload: Upload) => {
    const answer = await ask({
      title: `Delete the source maps of ${nameOf(upload)}?`,
      content: <p>Crashes that are analysed from now on show the built code. Drafts do not change.</p>,
      confirm: 'Delete',
      danger: true,
    });
    if (answer === null) return;
    try {
      await api.deleteSourceMaps({ id: upload.id });
      announcement.value = 'Deleted.';
    } catch (error) {
      report(error);
    }
    await read();
  };
  return (
    <>
      <p class="soft">
        They lead from built JavaScript to its sources. Upload them with{' '}
        <code>culprit sourcemaps upload DIR --release RELEASE</code>, sentry-cli or a bundler plugin, and a
        token with the scope “release”.
      </p>
      {found.value === null ? (
        <p class="none">Loading…</p>
      ) : (
        <Uploads found={found.value} remove={(upload) => void remove(upload)} />
      )}
    </>
  );
}

interface UploadsProps {
  readonly found: SourceMaps;
  readonly remove: (upload: Upload) => void;
}

function Uploads({ found, remove }: UploadsProps) {
  const { uploads, used_bytes, quota_bytes, project_quota_bytes, keep_ms } = found;
  return (
    <section aria-labelledby="source-maps">
      <h3 id="source-maps">
        Source maps{' '}
        <span class="soft num">
          {size(used_bytes)} of {size(quota_bytes)} used
          {project_quota_bytes !== null && `, at most ${size(project_quota_bytes)} by a project`}
        </span>
      </h3>
      <p class="soft">
        An upload is deleted {plural(Number((keep_ms / DAY_MS).toFixed(1)), 'day')} after its last use. If the
        quota is reached, uploads that were not used for a week give way to new ones.
      </p>
      {uploads.length === 0 && <p class="none">No source maps.</p>}
      <ul class="cards">
        {uploads.map((upload) => (
          <li key={upload.id}>
            <div>
              <p>
                <b class="untrusted">{nameOf(upload)}</b> <Text of={upload.project} class="pill" />
              </p>
              <p class="soft untrusted">{factsOf(upload)}</p>
            </div>
            {may('release', upload.project) && (
              <Button
                small
                aria-label={`Delete the source maps of ${nameOf(upload)}`}
                onClick={() => remove(upload)}
              >
                Delete
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function nameOf({ release, dist, names }: Upload): string {
  if (release === null) return visible(names[0] ?? 'debug ids');
  return visible(dist === null ? release : `${release} (${dist})`);
}

function factsOf({ files, bytes, uploaded_at, used_at, kept_until, unreadable }: Upload): string {
  const now = clock.value;
  return [
    plural(files, 'built file'),
    size(bytes),
    `uploaded ${ago(uploaded_at, now)}`,
    // Kept to the hour: a use soon after the upload is not known.
    ...(used_at > uploaded_at ? [`last used ${ago(used_at, now)}`] : []),
    `kept until ${kept_until.slice(0, 10)}`,
    ...(unreadable.length === 0 ? [] : [`${unreadable.length} unreadable: ${visible(unreadable[0] ?? '')}`]),
  ].join(' · ');
}

const DAY_MS = 86_400_000;
const KIB = 1024;

function size(bytes: number): string {
  if (bytes < KIB ** 2) return `${Math.ceil(bytes / KIB)} KiB`;
  if (bytes < KIB ** 3) return `${Math.round(bytes / KIB ** 2)} MiB`;
  return `${Number((bytes / KIB ** 3).toFixed(1))} GiB`;
}
