import type { Signal } from '@preact/signals';

/** Shows what a long list leaves out. */
export function ShowRest({ all, what }: { readonly all: Signal<boolean>; readonly what: string }) {
  return (
    <button
      type="button"
      class="button small"
      onClick={() => {
        all.value = true;
      }}
    >
      Show {what}
    </button>
  );
}
