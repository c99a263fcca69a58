import {
  buildSchema,
  type DocumentNode,
  executeSync,
  GraphQLError,
  type GraphQLScalarType,
  getOperationAST,
  getVariableValues,
  Kind,
  parse,
  validate,
} from 'graphql';
import { type Answer, ok } from './answer.js';
import type { DoubleToken } from './options.js';
import type { State } from './state.js';

/** The documented fields that Culprit uses, with their documented types. Any other field is refused. */
const SCHEMA = buildSchema(`
  scalar IssueID
  type Query {
    issue(id: IssueID!): Issue
  }
  type Issue {
    reference(full: Boolean = false): String!
  }
`);
const issueId = SCHEMA.getType('IssueID') as GraphQLScalarType;
issueId.parseValue = globalId;
issueId.parseLiteral = (node) => globalId(node.kind === Kind.STRING ? node.value : null);

/** A GraphQL request. */
export interface Question {
  /** `null` if it cannot be parsed. */
  readonly document: DocumentNode | null;
  readonly variables: Readonly<Record<string, unknown>>;
  /** `query NAME`; `null` without one operation. */
  readonly route: string | null;
  /** What in it violates the schema: GitLab refuses it. */
  readonly errors: readonly GraphQLError[];
  /** The same, and variables that the operation does not declare, which GitLab ignores. */
  readonly problems: readonly string[];
}

export function readQuestion(body: unknown): Question {
  const { query = '', variables: given } = Object(body);
  const variables: Record<string, unknown> = Object(given);
  const document = parsed(String(query));
  if (document instanceof GraphQLError)
    return { document: null, variables, route: null, errors: [document], problems: [document.message] };
  const operation = getOperationAST(document);
  const declared = operation?.variableDefinitions ?? [];
  const errors = [
    ...validate(SCHEMA, document),
    ...(getVariableValues(SCHEMA, declared, variables).errors ?? []),
  ];
  if (!operation) errors.push(new GraphQLError('An operation name is required'));
  else if (!SCHEMA.getRootType(operation.operation))
    errors.push(new GraphQLError(`Schema is not configured for ${operation.operation}s`));
  const names = new Set(declared.map(({ variable }) => variable.name.value));
  const unknown = Object.keys(variables).filter((name) => !names.has(name));
  const problems = [
    ...errors.map(({ message }) => message),
    ...unknown.map((name) => `Variable "$${name}" is not declared`),
  ];
  const route = operation ? `${operation.operation} ${operation.name?.value ?? ''}`.trim() : null;
  return { document, variables, route, errors, problems };
}

function parsed(text: string): DocumentNode | GraphQLError {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

/** Status 200 in any case: a request that violates the schema has `errors` and no `data`. */
export function answerQuestion(
  { document, variables, errors }: Question,
  state: State,
  token: DoubleToken,
): Answer {
  if (document === null || errors.length > 0) return ok({ errors });
  const rootValue = { issue: ({ id }: { readonly id: number }) => issueOf(state, token, id) };
  return ok({ ...executeSync({ schema: SCHEMA, document, rootValue, variableValues: variables }) });
}

/** `null`: there is none, or the token does not see it. */
function issueOf(state: State, { projects }: DoubleToken, id: number) {
  const found = state.issues.find((issue) => issue.id === id && issue.gone !== 'deleted');
  if (found === undefined || (projects !== undefined && !projects.includes(found.repository))) return null;
  const short = `#${found.number}`;
  return { reference: ({ full }: { readonly full: boolean }) => (full ? found.repository + short : short) };
}

/** `gid://gitlab/Issue/70001` */
function globalId(value: unknown): number {
  const [, type, id] = /^gid:\/\/gitlab\/([\w:]+)\/(\d+)$/.exec(String(value)) ?? [];
  if (type === undefined) throw new GraphQLError(`"${value}" is not a valid Global ID`);
  if (type !== 'Issue') throw new GraphQLError(`"${value}" does not represent an instance of Issue`);
  return Number(id);
}
