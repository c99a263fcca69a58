import type { Input, Release } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../api.js';
import { Button } from '../parts/button.js';
import { ask } from '../parts/dialog.js';
import { FormEnd, TextField } from '../parts/field.js';
import { Text } from '../parts/text.js';
import { useFieldSubmit } from '../parts/use-submit.js';
import { announcement, may, report } from '../state/session.js';

interface ManageProps {
  readonly release: Release;
  /** Reads the release again. */
  readonly read: () => void;
  readonly deleted: () => void;
}

type Change = Omit<Input<'recordRelease'>, 'project' | 'version'>;

/** What may be changed of a recorded release: its commits, its state, and whether it is recorded. */
export function Manage({ release, read, deleted }: ManageProps) {
  const setting = useSignal(false);
  const again = useRef<HTMLButtonElement>(null);
  const { project, version, archived, finalised_at } = release;
  if (!may('release', project)) return null;
  const change = async (facts: Change, said: string) => {
    try {
      await api.recordRelease({ project, version, ...facts });
      announcement.value = said;
      read();
    } catch (error) {
      report(error);
    }
  };
  const remove = async () => {
    if (!(await confirmDelete(version))) return;
    try {
      await api.deleteRelease({ project, version });
      announcement.value = 'The release is deleted.';
      deleted();
    } catch (error) {
      report(error);
    }
  };
  const close = () => {
    setting.value = false;
    requestAnimationFrame(() => again.current?.focus());
  };
  if (setting.value)
    return (
      <CommitsForm
        project={project}
        version={version}
        cancel={close}
        recorded={() => {
          close();
          read();
        }}
      />
    );
  return (
    <p class="actions">
      <button
        ref={again}
        type="button"
        class="button small"
        onClick={() => {
          setting.value = true;
        }}
      >
        Set its commits
      </button>
      {finalised_at === null && (
        <Button
          small
          onClick={() => void change({ finalised_at: new Date().toISOString() }, 'The release is finalised.')}
        >
          Finalise
        </Button>
      )}
      <Button
        small
        onClick={() =>
          void change(
            { archived: !archived },
            archived ? 'The release is restored.' : 'The release is archived.',
          )
        }
      >
        {archived ? 'Restore' : 'Archive'}
      </Button>
      <Button small onClick={() => void remove()}>
        Delete…
      </Button>
    </p>
  );
}

const FORM = 'release-commits';
const FIELDS = ['commit', 'previous'];

interface CommitsFormProps {
  readonly project: string;
  readonly version: string;
  readonly cancel: () => void;
  readonly recorded: () => void;
}

function CommitsForm({ project, version, cancel, recorded }: CommitsFormProps) {
  const commit = useSignal('');
  const previous = useSignal('');
  useEffect(() => document.getElementById(`${FORM}-commit`)?.focus(), []);
  const { busy, problem, onSubmit } = useFieldSubmit(FORM, FIELDS, async () => {
    const before = previous.value.trim();
    await api.recordRelease({
      project,
      version,
      commit: commit.value.trim(),
      ...(before === '' ? {} : { previous: before }),
    });
    announcement.value = 'The commits are recorded.';
    recorded();
  });
  const common = { form: FORM, problem };
  return (
    <form class="panel" aria-label="Set the commits of the release" onSubmit={onSubmit}>
      <div class="pair">
        <TextField
          {...common}
          name="commit"
          label="Commit: a SHA or a tag"
          text={commit}
          input={{ required: true }}
        />
        <TextField
          {...common}
          name="previous"
          label="Previous commit; empty: the last recorded"
          text={previous}
        />
      </div>
      <FormEnd problem={problem} busy={busy} submit="Set" cancel={cancel} />
    </form>
  );
}

async function confirmDelete(version: string): Promise<boolean> {
  const answer = await ask({
    title: 'Delete this release?',
    content: (
      <p>
        The commits and deploys of <Text as="code" of={version} /> are forgotten. What is counted of its
        crashes stays.
      </p>
    ),
    confirm: 'Delete',
    danger: true,
  });
  return answer !== null;
}
