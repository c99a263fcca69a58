import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { report } from '../../state/session.js';
import { chosenFiles, droppedFiles, type PickedFile } from './picked-files.js';

interface ChooseFilesProps {
  readonly disabled: boolean;
  readonly chosen: (files: readonly PickedFile[]) => void;
}

/** Takes a folder or files: by a button each, or dropped. */
export function ChooseFiles({ disabled, chosen }: ChooseFilesProps) {
  const over = useSignal(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    over.value = false;
    if (!disabled) droppedFiles(event.dataTransfer?.items ?? []).then(chosen, report);
  };
  return (
    <fieldset
      class="drop"
      data-over={over.value ? '' : undefined}
      onDragOver={(event) => {
        event.preventDefault();
        over.value = true;
      }}
      onDragLeave={() => {
        over.value = false;
      }}
      onDrop={drop}
    >
      <legend class="sr">Files</legend>
      <Chooser label="Choose a folder" folder disabled={disabled} chosen={chosen} />
      <Chooser label="Choose files" disabled={disabled} chosen={chosen} />
      <span class="soft">or drop them here: the built JavaScript with its source maps</span>
    </fieldset>
  );
}

interface ChooserProps extends ChooseFilesProps {
  readonly label: string;
  readonly folder?: boolean;
}

function Chooser({ label, folder = false, disabled, chosen }: ChooserProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="button" disabled={disabled} onClick={() => input.current?.click()}>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        {...(folder ? { webkitdirectory: true } : {})}
        aria-label={label}
        onChange={({ currentTarget }) => {
          const files = chosenFiles(currentTarget.files ?? []);
          // The same choice again is a change, too.
          currentTarget.value = '';
          if (files.length > 0) chosen(files);
        }}
      />
    </>
  );
}
