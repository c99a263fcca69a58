import type { Answer } from '@culprit/client';
import { api } from '../api.js';
import { ago, plural } from '../format.js';
import { type Row, Rows } from '../parts/resource.js';
import { Text, visible } from '../parts/text.js';
import { useResource } from '../parts/use-resource.js';
import { clock } from '../state/clock.js';
import { may } from '../state/session.js';

type SourceMaps = Answer<'listSourceMaps', 200>;
type Upload = SourceMaps['uploads'][number];

/** Uploaded source maps by release: what they hold, when they were used, delete one. */
export function Page() {
  const maps = useResource(() => api.listSourceMaps());
  const { found } = maps;
  return (
    <>
      <p class="soft">
        They map built JavaScript to its sources. Upload them with{' '}
        <code>culprit sourcemaps upload DIR --release RELEASE</code>, sentry-cli or a bundler plugin, and a
        token with the scope “release”.
      </p>
      <Rows
        of={maps}
        rows={found?.uploads.map(rowOf)}
        title="Source maps"
        count={found && usage(found)}
        note={found && retention(found)}
        empty="No source maps."
      />
    </>
  );
}

function rowOf(upload: Upload): Row {
  const { id, project, files, bytes, uploaded_at, used_at, kept_until, unreadable } = upload;
  const name = nameOf(upload);
  const now = clock.value;
  return {
    key: id,
    name,
    pills: <Text of={project} class="pill" />,
    facts: [
      plural(files, 'built file'),
      size(bytes),
      `uploaded ${ago(uploaded_at, now)}`,
      // Kept to the hour: a use soon after the upload is not known.
      used_at > uploaded_at && `last used ${ago(used_at, now)}`,
      `kept until ${kept_until.slice(0, 10)}`,
      unreadable.length > 0 && `${unreadable.length} unreadable: ${unreadable[0]}`,
    ],
    actions: [
      may('release', project) && {
        label: 'Delete',
        about: `the source maps of ${name}`,
        question: {
          title: `Delete the source maps of ${visible(name)}?`,
          content: <p>Crashes that are analysed from now on show the built code. Drafts do not change.</p>,
          confirm: 'Delete',
          danger: true,
        },
        async run() {
          await api.deleteSourceMaps({ id });
          return 'Deleted.';
        },
      },
    ],
  };
}

function usage({ used_bytes, quota_bytes, project_quota_bytes }: SourceMaps): string {
  const limit = project_quota_bytes === null ? '' : `, at most ${size(project_quota_bytes)} by a project`;
  return `${size(used_bytes)} of ${size(quota_bytes)} used${limit}`;
}

function retention({ keep_ms }: SourceMaps): string {
  return `An upload is deleted ${plural(Number((keep_ms / DAY_MS).toFixed(1)), 'day')} after its last use. If the quota is reached, uploads that were not used for a week are deleted to make room for new ones.`;
}

function nameOf({ release, dist, names }: Upload): string {
  if (release === null) return names[0] ?? 'debug ids';
  return dist === null ? release : `${release} (${dist})`;
}

const DAY_MS = 86_400_000;
const KIB = 1024;

function size(bytes: number): string {
  if (bytes < KIB ** 2) return `${Math.ceil(bytes / KIB)} KiB`;
  if (bytes < KIB ** 3) return `${Math.round(bytes / KIB ** 2)} MiB`;
  return `${Number((bytes / KIB ** 3).toFixed(1))} GiB`;
}
