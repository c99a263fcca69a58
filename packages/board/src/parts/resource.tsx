import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { announcement } from '../state/session.js';
import { Button } from './button.js';
import type { Question } from './dialog.js';
import { Section } from './page.js';
import { Scroller } from './scroller.js';
import { visible } from './text.js';
import type { Resource } from './use-resource.js';

/** Instead of what has not been found: loading, or the way to try again. */
export function Missing({ failed, read }: { readonly failed: boolean; readonly read: () => unknown }) {
  if (!failed) return <p class="none">Loading…</p>;
  return (
    <p class="none">
      Core did not answer.{' '}
      <Button small onClick={() => void read()}>
        Try again
      </Button>
    </p>
  );
}

/** What can be done with a row. */
export interface Action {
  readonly label: string;
  /** For screen readers, which do not see in which row it is: what it is done to. Absent: the name of the row. */
  readonly about?: string;
  /** A text that it resolves with is announced; `false`: the list is not read again. */
  readonly run: () => unknown;
  /** Asked before. */
  readonly question?: Question;
  /** Whether what it opens is open; nothing is read then. */
  readonly expanded?: boolean;
  readonly disabled?: boolean;
}

/** What is known of a row, in texts from outside; absent ones are left out. */
export type Facts = readonly (string | false | null)[];

/** One row: a line with a name, what is known, and what can be done. */
export interface Row {
  readonly key: string;
  /** Shown first. */
  readonly name: string;
  /** Instead of the name. */
  readonly title?: ComponentChildren;
  /** After it. */
  readonly pills?: ComponentChildren;
  /** Texts of one line, and further lines before and after it. */
  readonly facts?: Facts;
  readonly lead?: ComponentChildren;
  readonly rest?: ComponentChildren;
  readonly actions?: readonly (Action | false)[];
  /** What an action has opened. */
  readonly children?: ComponentChildren;
}

interface RowsProps {
  readonly of: Resource<unknown>;
  /** `undefined` while they are loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly title: string;
  /** Beside the title; by default their number. */
  readonly count?: ComponentChildren;
  readonly note?: ComponentChildren;
  /** Instead of an empty list; without it, nothing is shown. */
  readonly empty?: ComponentChildren;
}

/** What core keeps of one kind: a heading, and a list with its actions. */
export function Rows({ of, rows, title, count, note, empty }: RowsProps) {
  if (rows === undefined) return <Missing {...of} />;
  if (rows.length === 0 && empty === undefined) return null;
  return (
    <Section title={title} count={count ?? rows.length}>
      {note && <p class="soft">{note}</p>}
      {rows.length === 0 ? <p class="none">{empty}</p> : <List title={title} rows={rows} act={of.act} />}
    </Section>
  );
}

interface ListProps {
  /** For screen readers. */
  readonly title: string;
  readonly rows: readonly Row[];
  /** Absent: no row has an action. */
  readonly act?: Act;
}

/** The list without a heading; nothing if it is empty. */
export function List({ title, rows, act }: ListProps) {
  if (rows.length === 0) return null;
  return (
    <ul class="cards" aria-label={visible(title)}>
      {rows.map((row) => (
        <RowItem key={row.key} row={row} act={act} />
      ))}
    </ul>
  );
}

type Act = Resource<unknown>['act'];

function RowItem({ row, act }: { readonly row: Row; readonly act: Act | undefined }) {
  const { name, title, pills, lead, facts = [], rest, actions = [], children } = row;
  const known = facts.filter((fact) => fact !== false && fact !== null);
  return (
    <li>
      <div>
        <p class="untrusted">
          {title ?? <b>{visible(name)}</b>} {pills}
        </p>
        {lead}
        {known.length > 0 && <p class="soft untrusted">{visible(known.join(' · '))}</p>}
        {rest}
      </div>
      {act !== undefined && <Actions actions={actions} name={name} act={act} />}
      {children}
    </li>
  );
}

interface ActionsProps {
  readonly actions: readonly (Action | false)[];
  /** What they are done to, for screen readers. */
  readonly name: string;
  readonly act: Act;
}

/** What can be done, each with its button. */
export function Actions({ actions, name, act }: ActionsProps) {
  if (actions.every((action) => action === false)) return null;
  return (
    <p class="actions">
      {actions.map(
        // By its place: a button whose label changes keeps the focus.
        (action, place) =>
          action !== false && <ActionButton key={place} action={action} name={name} act={act} />,
      )}
    </p>
  );
}

interface ActionButtonProps {
  readonly action: Action;
  readonly name: string;
  readonly act: Act;
}

function ActionButton({ action, name, act }: ActionButtonProps) {
  const { label, about = name, run, question, expanded, disabled = false } = action;
  const work = async () => {
    const said = await run();
    if (typeof said === 'string') announcement.value = said;
    return said;
  };
  const busy = useRef(false);
  const press = async () => {
    if (expanded !== undefined) return run();
    if (busy.current) return;
    busy.current = true;
    await act(work, question).finally(() => {
      busy.current = false;
    });
  };
  return (
    <Button
      small
      aria-label={about === '' ? undefined : visible(`${label.replace('…', '')} ${about}`)}
      aria-expanded={expanded}
      disabled={disabled}
      // The second click of a double click does nothing.
      onClick={({ detail }) => void (detail < 2 && press())}
    >
      {label}
    </Button>
  );
}

export interface Column<T> {
  readonly name: string;
  readonly cell: (row: T) => ComponentChildren;
  readonly numeric?: boolean;
  /** What the name means. */
  readonly title?: string;
}

interface TableProps<T> {
  readonly label: string;
  /** The first one names the row. */
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

/** A table that scrolls where it is wider than the page. */
export function Table<T>({ label, columns, rows, keyOf }: TableProps<T>) {
  const look = ({ numeric = false }: Column<T>) => (numeric ? 'num' : undefined);
  return (
    <Scroller class="table" label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={look(column)} title={column.title}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, index) =>
                index === 0 ? (
                  <th key={column.name} scope="row" class="untrusted">
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.name} class={look(column)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
