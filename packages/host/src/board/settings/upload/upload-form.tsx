import { useSignal } from '@preact/signals';
import { DEFAULT_PREFIX } from '../../../source-maps/built-script.js';
import { plural } from '../../format.js';
import { type FormProblem, FormProblemText, focusProblem, TextField } from '../../parts/field.js';
import { ProjectField } from '../../parts/project-field.js';
import { visible } from '../../parts/text.js';
import { announcement, report } from '../../state/session.js';
import { ChooseFiles } from './choose-files.js';
import { type PairedFiles, pairFiles } from './pair-files.js';
import { PairedList } from './paired-list.js';
import type { PickedFile } from './picked-files.js';
import { checkUpload, problemOfUpload, type UploadTexts, upload } from './upload.js';

const FORM = 'upload';

interface Sending {
  readonly sent: number;
  /** 0: unknown yet. */
  readonly all: number;
  readonly stop: () => void;
}

/** Uploads source maps from the reader's disk. `uploaded` is called after each upload. */
export function UploadForm({ uploaded }: { readonly uploaded: () => void }) {
  const texts: UploadTexts = {
    project: useSignal(''),
    release: useSignal(''),
    dist: useSignal(''),
    prefix: useSignal(DEFAULT_PREFIX),
  };
  const files = useSignal<PairedFiles | null>(null);
  const sending = useSignal<Sending | null>(null);
  const problem = useSignal<FormProblem | null>(null);
  const done = useSignal('');
  const pair = async (picked: readonly PickedFile[]) => {
    problem.value = null;
    done.value = '';
    try {
      files.value = await pairFiles(picked);
    } catch (error) {
      report(error);
    }
  };
  const send = async (chosen: PairedFiles) => {
    const stopping = new AbortController();
    const stop = () => stopping.abort();
    const onProgress = (sent: number, all: number) => {
      sending.value = { sent, all, stop };
    };
    onProgress(0, 0);
    done.value = '';
    try {
      await upload(chosen, texts, { onProgress, signal: stopping.signal });
      done.value = `Uploaded the source maps of ${plural(chosen.scripts.length, 'built file')}.`;
      announcement.value = done.value;
      files.value = null;
      uploaded();
    } catch (error) {
      problem.value = stopping.signal.aborted ? STOPPED : problemOfUpload(error);
    } finally {
      sending.value = null;
    }
  };
  const submit = () => {
    const chosen = files.value;
    if (chosen === null || sending.value !== null) return;
    problem.value = checkUpload(chosen, texts);
    if (problem.value === null) void send(chosen);
    else focusProblem(FORM, problem.value);
  };
  return (
    <form
      class="panel"
      aria-labelledby="upload-source-maps"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <h3 id="upload-source-maps">Upload source maps</h3>
      <ChooseFiles disabled={sending.value !== null} chosen={(picked) => void pair(picked)} />
      {files.value !== null && <PairedList files={files.value} />}
      <Fields texts={texts} problem={problem.value} />
      <FormProblemText problem={problem.value} />
      {done.value !== '' && (
        <p class="callout untrusted" data-tone="green">
          {visible(done.value)}
        </p>
      )}
      <Actions sending={sending.value} ready={(files.value?.scripts.length ?? 0) > 0} />
    </form>
  );
}

const STOPPED: FormProblem = {
  field: null,
  text: 'Stopped. Core keeps for a day what was sent; upload the same files again to go on.',
};

interface FieldsProps {
  readonly texts: UploadTexts;
  readonly problem: FormProblem | null;
}

function Fields({ texts, problem }: FieldsProps) {
  const field = (name: keyof UploadTexts, label: string, input: object = {}) => (
    <TextField form={FORM} problem={problem} name={name} label={label} text={texts[name]} input={input} />
  );
  return (
    <div class="pair">
      <ProjectField form={FORM} problem={problem} text={texts.project} />
      {field('release', 'Release, as crashes name it; empty: by debug ids', { placeholder: 'shop@2.4.1' })}
      {field('prefix', 'Address before the files’ paths', { required: true })}
      {field('dist', 'Distribution, if crashes report one')}
    </div>
  );
}

interface ActionsProps {
  readonly sending: Sending | null;
  readonly ready: boolean;
}

function Actions({ sending, ready }: ActionsProps) {
  if (sending === null) {
    return (
      <div class="actions">
        <button type="submit" class="button primary" disabled={!ready}>
          Upload
        </button>
      </div>
    );
  }
  const { sent, all, stop } = sending;
  const words = all === 0 ? 'Packing…' : sent === all ? 'Core is unpacking…' : `${sent} of ${all} parts sent`;
  return (
    <div class="actions">
      <progress aria-label="Upload" {...(all === 0 ? {} : { value: sent, max: all })} />
      <span class="soft num" role="status">
        {words}
      </span>
      <button type="button" class="button" onClick={stop}>
        Stop
      </button>
    </div>
  );
}
