import * as v from 'valibot';

/** What an operator reads of a member of a connector's configuration that is a setting of the host. */
interface Shown<Member> {
  /** The member, whose schema reads and checks what is written. */
  readonly of: Member;
  /** How a value is written. */
  readonly format: string;
  readonly secret?: true;
  /** What applies without a value. Absent: nothing does. */
  readonly otherwise?: string;
  /** One or two sentences. */
  readonly meaning: string;
}

/** A setting of the host that a connector owns, with the schema of its member. */
export interface OwnSetting extends Shown<string> {
  readonly schema: v.GenericSchema;
}

/** The settings of one connector, by their names in `culprit.json`, which also give their environment variables. */
export function ownSettings<
  Entries extends v.ObjectEntries,
  const Rows extends Readonly<Record<string, Shown<keyof Entries & string>>>,
>(entries: Entries, rows: Rows) {
  const own = Object.entries(rows).map(([key, row]) => [key, { ...row, schema: entries[row.of] }]);
  return Object.fromEntries(own) as {
    readonly [Key in keyof Rows]: Rows[Key] & { readonly schema: Entries[Rows[Key]['of']] & v.GenericSchema };
  };
}

/** Base address of a server, without a slash at its end. */
export const serverUrl = v.pipe(
  v.string(),
  v.rawCheck(({ dataset, addIssue }) => {
    const message = dataset.typed ? urlProblem(dataset.value) : null;
    if (message !== null) addIssue({ message });
  }),
  v.transform((text) => new URL(text).href.replace(/\/+$/, '')),
);

function urlProblem(text: string): string | null {
  if (!URL.canParse(text)) return 'must be a full URL such as https://culprit.example';
  const { protocol, username, password, search, hash } = new URL(text);
  if (!/^https?:$/.test(protocol)) return 'must start with http:// or https://';
  if (username !== '' || password !== '') return 'must not contain a user or a password';
  return search !== '' || hash !== '' ? 'must not contain a query or a fragment' : null;
}
