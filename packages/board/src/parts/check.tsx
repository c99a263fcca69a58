import type { ComponentChildren } from 'preact';
import { ICONS, Icon } from './icons.js';

interface CheckProps {
  readonly ok: boolean | undefined;
  readonly name: string;
  readonly children: ComponentChildren;
}

/** An entry of a list of checks. */
export function Check({ ok, name, children }: CheckProps) {
  const fine = ok !== false;
  return (
    <li data-ok={fine ? '' : undefined}>
      <span class="mark">
        <Icon path={fine ? ICONS.check : ICONS.issue} size={13} />
        <span class="sr">{fine ? 'OK: ' : 'check: '}</span>
      </span>
      <span>
        <span class="soft name">{name}</span> {children}
      </span>
    </li>
  );
}
