import { buildSchema, executeSync, GraphQLError, type GraphQLScalarType, Kind } from 'graphql';
import { type Question, Questions } from '../shared/graphql.js';
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

export const questions = new Questions(() => SCHEMA);

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
