import { goToOffered, offeredNext } from '../inbox/advance.js';
import { decided, undo } from '../state/decided.js';
import { Key } from './scroller.js';
import { visible } from './text.js';

/** The latest decision, with its undo. It stays until the next one, so nobody has to be quick. */
export function DecidedBar() {
  const last = decided.value;
  if (last === null) return null;
  return (
    <section class="decided" aria-label="Latest decision">
      <p>
        {last.words}:{' '}
        <a class="untrusted" href={`#${last.runId}`}>
          {visible(last.title)}
        </a>
      </p>
      {last.undo !== null && (
        <button type="button" class="button small" onClick={undo}>
          Undo <Key name="Z" />
        </button>
      )}
      {offeredNext() !== null && (
        <button type="button" class="button small" onClick={goToOffered}>
          Next run <Key name="J" />
        </button>
      )}
      <button
        type="button"
        class="button small quiet"
        onClick={() => {
          decided.value = null;
        }}
      >
        Dismiss
      </button>
    </section>
  );
}
