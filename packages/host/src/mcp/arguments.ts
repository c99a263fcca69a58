import { about } from '@culprit/core/internal/domain/schema';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';

export const runIdArgument = about(v.pipe(v.string(), v.maxLength(64)), 'The id of a run, such as run_01h….');

/** An object of arguments; any other is refused by name. */
type Arguments = v.GenericSchema & { readonly entries?: Readonly<Record<string, unknown>> };

/**
 * The schema for the SDK, which repeats the messages of problems to the model, each after the name of its argument. They say what is
 * expected, and do not repeat what was received: it may be a text from a crash.
 */
export function argumentsOf<Schema extends Arguments>(schema: Schema) {
  const standard = toStandardJsonSchema(schema);
  const own = standard['~standard'];
  const known = Object.keys(schema.entries ?? {}).join(', ');
  return {
    ...standard,
    '~standard': {
      ...own,
      validate: async (value: unknown) => {
        const found = await own.validate(value);
        if (found.issues === undefined) return found;
        return { issues: found.issues.map((issue) => problemOf(issue, known)) };
      },
    },
  } as typeof standard;
}

function problemOf<Path>(issue: { readonly path?: Path }, known: string) {
  const { type, expected, requirement, message = '' } = issue as Partial<v.BaseIssue<unknown>>;
  // The name of an unknown argument was received, too.
  if (expected === 'never') return { message: `an argument is unknown; expected only ${known}` };
  return {
    path: issue.path,
    message: type === 'regex' ? formOf(message) : expectation(type, expected ?? null, requirement),
  };
}

/** The schema's own words. Those of the library repeat what was received. */
function formOf(message: string): string {
  return message.startsWith('Invalid format') ? 'expected another form' : message;
}

function expectation(type: string | undefined, expected: string | null, requirement: unknown): string {
  switch (type) {
    case 'strict_object':
      return expected === 'Object' ? 'expected an object' : 'missing';
    case 'picklist':
      return `expected one of ${expected?.replace(/[()"]/g, '').replaceAll(' | ', ', ')}`;
    case 'integer':
      return 'expected a whole number';
    case 'min_value':
    case 'max_value':
      return `expected ${type === 'min_value' ? 'at least' : 'at most'} ${requirement}`;
    case 'min_length':
    case 'max_length':
      return `expected ${type === 'min_length' ? 'at least' : 'at most'} ${requirement} ${requirement === 1 ? 'character' : 'characters'}`;
    default:
      return `expected a ${expected ?? 'different value'}`;
  }
}
