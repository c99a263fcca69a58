import { Key } from '../parts/scroller.js';

interface ActProps {
  readonly label: string;
  readonly shortcut: string;
  readonly act: () => boolean;
  readonly primary?: boolean;
  readonly disabled?: boolean;
}

/** The second click of a double click decides nothing. */
function once(act: () => boolean) {
  return ({ detail }: MouseEvent) => void (detail < 2 && act());
}

/** A button of the gate bar, with its key. */
export function Act({ label, shortcut, act, primary = false, disabled = false }: ActProps) {
  return (
    <button
      type="button"
      class={primary ? 'button primary' : 'button'}
      disabled={disabled}
      onClick={once(act)}
    >
      {label} <Key name={shortcut} />
    </button>
  );
}
