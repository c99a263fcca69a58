import { schema as sdl } from '@octokit/graphql-schema';
import {
  buildSchema,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
  visit,
} from 'graphql';

let built: GraphQLSchema | null = null;

/** GitHub's own schema. */
export function github(): GraphQLSchema {
  built ??= buildSchema(sdl.idl, { assumeValidSDL: true });
  return built;
}

interface ReadDocument {
  /** `null` if it cannot be parsed. */
  readonly document: DocumentNode | null;
  readonly problems: readonly GraphQLError[];
  readonly size: SizeProblem | null;
}

const read = new Map<string, ReadDocument>();
const MOST_READ = 500;

/** Parses and validates a document once. */
export function readDocument(text: string): ReadDocument {
  const known = read.get(text) ?? readNew(text);
  if (read.size < MOST_READ) read.set(text, known);
  return known;
}

function readNew(text: string): ReadDocument {
  try {
    const document = parse(text);
    return { document, problems: validate(github(), document), size: sizes(document) };
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return { document: null, problems: [error], size: null };
  }
}

/** The operation's name, and what in it violates the schema, its variables included. */
export function checkDocument(question: { readonly query?: unknown; readonly variables?: unknown }) {
  const { document, problems, size } = readDocument(String(question.query ?? ''));
  const operation = document?.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const named = operation as OperationDefinitionNode | undefined;
  const variables = named?.variableDefinitions ?? [];
  const given = (question.variables ?? {}) as Record<string, unknown>;
  const declared = new Set(variables.map(({ variable }) => variable.name.value));
  const unknown = Object.keys(given).filter((variable) => !declared.has(variable));
  const found = [
    ...problems,
    ...(size === null ? [] : [size]),
    ...(getVariableValues(github(), variables, given).errors ?? []),
    ...unknown.map((variable) => ({ message: `Variable "$${variable}" is not declared` })),
  ];
  const route = named === undefined ? null : `${named.operation} ${named.name?.value ?? ''}`.trim();
  return { route, problems: found.map(({ message }) => `${route ?? 'GraphQL'}: ${message}`) };
}

interface SizeProblem {
  readonly type: string;
  readonly path: readonly string[];
  readonly message: string;
}

/** Connections require `first` or `last`, 1 to 100 (docs: node limit). */
function sizes(document: DocumentNode): SizeProblem | null {
  let problem: SizeProblem | null = null;
  visit(document, {
    Field: (node) => {
      if (
        ![
          'history',
          'parents',
          'refs',
          'associatedPullRequests',
          'labels',
          'issues',
          'assignableUsers',
          'releases',
          'deployments',
          'closedByPullRequestsReferences',
          'timelineItems',
        ].includes(node.name.value)
      )
        return;
      const size = node.arguments?.find(({ name }) => name.value === 'first' || name.value === 'last');
      const path = [node.name.value];
      if (!size) {
        problem = {
          type: 'MISSING_PAGINATION_BOUNDARIES',
          path,
          message: `You must provide a \`first\` or \`last\` value to properly paginate the \`${node.name.value}\` connection.`,
        };
      } else if (
        size.value.kind === 'IntValue' &&
        (Number(size.value.value) > 100 || Number(size.value.value) < 1)
      ) {
        problem = {
          type: 'EXCESSIVE_PAGINATION',
          path,
          message: `Requesting ${size.value.value} records on the \`${node.name.value}\` connection exceeds the \`first\` limit of 100 records.`,
        };
      }
    },
  });
  return problem;
}
