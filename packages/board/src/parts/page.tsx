import type { ComponentChildren } from 'preact';
import { visible } from './text.js';

interface PageProps {
  readonly title: string;
  /** Beside the title. */
  readonly beside?: ComponentChildren;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}

/** A page besides the inbox and the run. */
export function Page({ title, beside, wide = false, children }: PageProps) {
  return (
    <div class={wide ? 'page wide' : 'page'}>
      <header>
        <h2 class="untrusted">{visible(title)}</h2>
        {beside}
      </header>
      {children}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  /** Shown after the title: `3`. */
  readonly count?: ComponentChildren;
  /** At the end of the line of the title. */
  readonly beside?: ComponentChildren;
  readonly panel?: boolean;
  readonly children: ComponentChildren;
}

/** A part of a page with a heading. */
export function Section({ title, count, beside, panel = false, children }: SectionProps) {
  return (
    <section class={panel ? 'panel' : undefined} aria-label={visible(title)}>
      <div class="heading">
        <h3>
          {visible(title)}
          {count !== undefined && <span class="soft num"> {count}</span>}
        </h3>
        {beside}
      </div>
      {children}
    </section>
  );
}

/** Name, value, what the value is of, and what the name means. */
type Tile = readonly [name: string, value: string, rest?: string, title?: string | undefined];

/** Figures side by side. */
export function Tiles({ tiles }: { readonly tiles: readonly Tile[] }) {
  return (
    <dl class="tiles">
      {tiles.map(([name, value, rest = '', title]) => (
        <div key={name}>
          <dt title={title}>{name}</dt>
          <dd>
            <span class="big num untrusted">{visible(value)}</span>{' '}
            <span class="soft untrusted">{visible(rest)}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
