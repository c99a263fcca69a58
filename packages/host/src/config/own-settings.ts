import type { OwnSetting } from '@culprit/connectors/settings';
import type * as v from 'valibot';
import { Secret } from './secret.js';
import type { Setting } from './setting.js';
import { boolean, ofSchema, secretOf } from './types.js';

type Row<One extends OwnSetting> = One extends { readonly secret: true }
  ? Setting<Secret>
  : v.InferOutput<One['schema']> extends boolean
    ? Setting<boolean, '0'>
    : Setting<string>;

/** Rows of the table of settings that a connector owns: the schema of its member reads what is written. */
export function fromConnector<Rows extends Readonly<Record<string, OwnSetting>>>(rows: Rows) {
  const read = Object.entries(rows).map(([key, { of: _, schema: given, format, ...shown }]) => {
    const schema = 'wrapped' in given ? (given.wrapped as v.GenericSchema) : given;
    if (schema.type === 'boolean') return [key, { ...shown, type: boolean, default: '0' }];
    const type = ofSchema(schema as v.GenericSchema<string>, format);
    return [key, { ...shown, type: shown.secret ? secretOf(type) : type }];
  });
  return Object.fromEntries(read) as { readonly [Key in keyof Rows]: Row<Rows[Key]> };
}

/** A connector's options from the settings that it owns. What is not set is left out, and secrets are revealed. */
export function optionsOf<Rows extends Readonly<Record<string, OwnSetting>>>(
  rows: Rows,
  config: { readonly [Key in keyof Rows]: unknown },
): { readonly [Key in keyof Rows as Rows[Key]['of']]?: v.InferInput<Rows[Key]['schema']> } {
  const given = Object.entries(rows).map(([key, { of }]) => [of, revealed(config[key])] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== null)) as never;
}

/** A value of which only secrets are wrapped, also in lists. */
function revealed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revealed);
  return value instanceof Secret ? value.reveal() : value;
}
