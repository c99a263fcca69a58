import { useSignal } from '@preact/signals';
import { announcement, report } from '../state/session.js';
import { ICONS, Icon } from './icons.js';

interface CopyProps {
  /** The tooltip goes on from "Copy": `the run ID`. */
  readonly what: string;
  readonly text: string | (() => string | Promise<string>);
  /** Of the button, for a shortcut that presses it. */
  readonly id?: string;
  /** Shown next to the icon: `Copy link`. Absent: the icon alone. */
  readonly label?: string;
}

/** Copies exactly this text, hidden characters included. */
export function Copy({ what, text, id, label }: CopyProps) {
  const copied = useSignal(false);
  const copy = async () => {
    try {
      await write(typeof text === 'string' ? text : await text());
      copied.value = true;
      announcement.value = 'Copied.';
      window.setTimeout(() => {
        copied.value = false;
      }, SHOWN_MS);
    } catch (error) {
      report(error);
    }
  };
  return (
    <button
      type="button"
      id={id}
      class={label === undefined ? 'copy' : 'button small'}
      aria-label={label === undefined ? `Copy ${what}` : undefined}
      title={`Copy ${what}`}
      onClick={() => void copy()}
    >
      <Icon path={copied.value ? ICONS.check : ICONS.copy} size={12} />
      {label !== undefined && <span>{copied.value ? 'Copied' : label}</span>}
    </button>
  );
}

/** How long the button confirms. */
const SHOWN_MS = 2_000;

/** Browsers offer the clipboard only on https and loopback; elsewhere a selection is copied. */
async function write(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'sr';
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  if (!done) throw new Error('The browser does not allow this page to copy. Select the text instead.');
}
