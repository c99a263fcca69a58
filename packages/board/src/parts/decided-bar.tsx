import { goToOffered, offeredNext } from '../inbox/advance.js';
import { decided, undo } from '../state/decided.js';
import { Button } from './button.js';
import { Key } from './scroller.js';
import { Text } from './text.js';

/** The latest decision, with its undo. It stays until the next one, so nobody has to be quick. */
export function DecidedBar() {
  const last = decided.value;
  if (last === null) return null;
  return (
    <section class="decided" aria-label="Latest decision">
      <p>
        {last.words}: <Text as="a" of={last.run.title} href={`#${last.run.run_id}`} />
      </p>
      {last.undo !== null && (
        <Button small onClick={undo}>
          Undo <Key name="Z" />
        </Button>
      )}
      {offeredNext() !== null && (
        <Button small onClick={goToOffered}>
          Next run <Key name="J" />
        </Button>
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
