import * as v from 'valibot';
import { CulpritError } from '../errors/error.js';
import type { Connector, ConnectorContext, ConnectorParts } from './connector.js';

/** A string that must be there and must not be empty. Never printed. */
export const secret = () => v.pipe(v.string(), v.nonEmpty('must not be empty'), v.metadata({ secret: true }));

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
 * Makes a connector's factory. Configuration is validated when the factory is called: a missing or wrong key
 * throws `configuration` with its path and never repeats the value.
 *
 * @example
 * export const pagerduty = defineConnector({
 *   id: 'pagerduty',
 *   config: v.object({ routingKey: secret() }),
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
      const issue = parsed.issues[0];
      const path = v.getDotPath(issue) ?? '';
      const what = issue.received === 'undefined' ? 'is missing' : `must be ${issue.expected ?? 'valid'}`;
      throw new CulpritError(
        'configuration',
        `Connector ${definition.id}: ${path || 'configuration'} ${what}.`,
        { path },
      );
    }
    return {
      id: definition.id,
      setup: (context) => definition.setup(parsed.output, context),
    };
  };
}
