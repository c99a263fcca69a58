import type { JSX } from 'preact';

type Attributes = Omit<JSX.IntrinsicElements['button'], 'class' | 'type'>;

/** A button that does not submit a form. */
export function Button({
  small = false,
  look,
  ...attributes
}: Attributes & { readonly small?: boolean; readonly look?: 'primary' | 'danger' }) {
  const names = ['button', small && 'small', look].filter(Boolean).join(' ');
  return <button type="button" class={names} {...attributes} />;
}
