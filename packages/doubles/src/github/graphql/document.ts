import { schema as sdl } from '@octokit/graphql-schema';
import { buildSchema, type DocumentNode, GraphQLError, type GraphQLSchema, visit } from 'graphql';
import { Questions } from '../../shared/graphql.js';

let built: GraphQLSchema | null = null;

/** GitHub's own schema. */
export function github(): GraphQLSchema {
  built ??= buildSchema(sdl.idl, { assumeValidSDL: true });
  return built;
}

export const questions = new Questions(github);

/** A GitHub error: its `type` is beside the message, not under `extensions`. */
export function githubError(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}

/** The token may not read it. */
export const forbidden = () => githubError('FORBIDDEN', 'Resource not accessible by personal access token');

const CONNECTIONS: readonly string[] = [
  ...['history', 'parents', 'refs', 'associatedPullRequests', 'labels', 'issues', 'assignableUsers'],
  ...['releases', 'deployments', 'closedByPullRequestsReferences', 'timelineItems'],
];

interface SizeProblem {
  readonly type: string;
  readonly path: readonly string[];
  readonly message: string;
}

/** Connections require `first` or `last`, 1 to 100 (docs: node limit). */
export function sizeProblem(document: DocumentNode): SizeProblem | null {
  let problem: SizeProblem | null = null;
  visit(document, {
    Field: (node) => {
      if (!CONNECTIONS.includes(node.name.value)) return;
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
