import * as v from 'valibot';
import { CulpritError } from '../errors/error.js';
import type { Connector, ConnectorContext, ConnectorParts } from './connector.js';

/** A required, non-empty string that is never printed. */
export const secret = () => v.pipe(v.string(), v.nonEmpty('must not be empty'), v.metadata({ secret: true }));

/** A connector's id, configuration schema and setup function. */
export interface ConnectorDefinition<Schema extends v.GenericSchema> {
  /** Lower-case words with dashes; the name in `/webhook/{id}`, logs and checks. */
  readonly id: string;
  readonly config: Schema;
  readonly setup: (
    config: v.InferOutput<Schema>,
    context: ConnectorContext,
  ) => ConnectorParts | Promise<ConnectorParts>;
}

/**
 * Returns a connector's factory. Configuration is validated when the factory is called: a missing, invalid or unknown key
 * throws `configuration` with its path, never with the value. Use `v.strictObject`, so that a mistyped key is an error.
 *
 * @example
 * export const pagerduty = defineConnector({
 *   id: 'pagerduty',
 *   config: v.strictObject({ routingKey: secret() }),
 *   setup: (config, { fetch, logger }) => ({ notifier: new PagerDutyNotifier(config, fetch, logger) }),
 * });
 */
export function defineConnector<const Schema extends v.GenericSchema>(
  definition: ConnectorDefinition<Schema>,
): (config: v.InferInput<Schema>) => Connector {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(definition.id)) {
    throw new CulpritError(
      'configuration',
      `Connector id "${definition.id}" must be lower-case words with dashes.`,
    );
  }
  return (input) => {
    const parsed = v.safeParse(definition.config, input);
    if (!parsed.success) {
      const [issue] = parsed.issues;
      const path = v.getDotPath(issue) ?? '';
      const detail = `Connector ${definition.id}: ${path || 'configuration'} ${fault(issue)}.`;
      throw new CulpritError('configuration', detail, { path });
    }
    return {
      id: definition.id,
      setup: (context) => definition.setup(parsed.output, context),
    };
  };
}

function fault({ type, message, received, expected }: v.BaseIssue<unknown>): string {
  if (type === 'strict_object' && expected === 'never') return 'is not an option of this connector';
  if (type === 'non_empty') return 'is empty';
  if (type === 'min_length') return `must have a length of ${expected?.replace('>=', 'at least ')}`;
  if (type === 'custom') return message;
  return received === 'undefined' ? 'is missing' : `must be ${expected ?? 'valid'}`;
}
