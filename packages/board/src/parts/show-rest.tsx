import type { Signal } from '@preact/signals';
import { Button } from './button.js';

/** Shows what a long list leaves out. */
export function ShowRest({ all, what }: { readonly all: Signal<boolean>; readonly what: string }) {
  return (
    <Button
      small
      onClick={() => {
        all.value = true;
      }}
    >
      Show {what}
    </Button>
  );
}
