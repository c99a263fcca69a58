import { enabled, type Shortcut, setEnabled, sheetOpen } from './keys.js';
import { Button } from './parts/button.js';
import { CONFIRM_CHORD, Modal } from './parts/dialog.js';
import { SHORTCUTS } from './shortcuts.js';

const GROUPS: readonly Shortcut['group'][] = ['List', 'Run', 'Go', 'Page'];

function nameOf(key: string): string {
  if (key === 'Escape') return 'Esc';
  return key.length === 1 ? key.toUpperCase() : key.replace('+', ' ');
}

/** The list of keyboard shortcuts behind `?`. */
export function KeysSheet() {
  if (!sheetOpen.value) return null;
  const close = () => {
    sheetOpen.value = false;
  };
  return (
    <Modal label="Keyboard shortcuts" closed={close} focus="h2">
      <div class="sheet">
        <h2 tabIndex={-1}>Keyboard shortcuts</h2>
        <div class="keys">
          {GROUPS.map((group) => (
            <section key={group}>
              <h3>{group}</h3>
              <dl>
                {SHORTCUTS.filter((shortcut) => shortcut.group === group).map(({ keys, label }) => (
                  <div key={label}>
                    <dt>{label}</dt>
                    <dd>
                      {keys.map((key) => (
                        <kbd key={key}>{nameOf(key)}</kbd>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
        <p class="soft">
          In a dialog, Enter confirms and Escape cancels. In a text field and when you sign, {CONFIRM_CHORD}{' '}
          confirms. After a decision the run stays open, and J opens the next run of its group. For a second
          after the page shows another run or another state, the keys for decisions do nothing.
        </p>
        <label>
          <input
            type="checkbox"
            checked={enabled.value}
            onChange={({ currentTarget }) => setEnabled(currentTarget.checked)}
          />{' '}
          Single-character shortcuts
        </label>
        <div class="actions">
          <Button onClick={close}>Close</Button>
        </div>
      </div>
    </Modal>
  );
}
