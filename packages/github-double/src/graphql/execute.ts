import { schema as sdl } from '@octokit/graphql-schema';
import {
  buildSchema,
  type DocumentNode,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  parse,
  validate,
  visit,
} from 'graphql';
import type { DoubleToken } from '../options.js';
import { POLICIES } from '../policies.js';
import type { World } from '../rest/request.js';
import { allows, repositoryOf } from '../rest/request.js';
import { githubError } from './error.js';
import { repositoryRoot } from './repository.js';

let built: GraphQLSchema | null = null;

/** GitHub's own schema. */
function github(): GraphQLSchema {
  built ??= buildSchema(sdl.idl, { assumeValidSDL: true });
  return built;
}

export interface GraphqlAnswer {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
}

/** Executes a query as GitHub does: real schema, real null bubbling, partial data. */
export async function runGraphql(
  world: World,
  token: DoubleToken,
  base: string,
  question: { readonly query?: unknown; readonly variables?: unknown },
): Promise<GraphqlAnswer> {
  let document: DocumentNode;
  try {
    document = parse(String(question.query ?? ''));
  } catch (error) {
    return { errors: [{ message: (error as Error).message }] };
  }
  const problems = validate(github(), document);
  if (problems.length > 0) return { errors: problems.map((problem) => wire(problem)) };
  const limits = sizes(document);
  if (limits !== null) return { errors: [limits] };
  if (blames(document) > (world.options.blameFilesAtOnce ?? 8)) {
    const message =
      'Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug.';
    return { data: null, errors: [{ message }] };
  }
  const rootValue = {
    viewer: () => ({ login: token.user }),
    rateLimit: () =>
      world.options.enterprise
        ? null
        : {
            cost: 1,
            limit: 5_000,
            remaining: 4_999,
            used: 1,
            nodeCount: 1,
            resetAt: new Date(world.state.now() + 3_600_000).toISOString(),
          },
    repository: ({ owner, name }: { owner: string; name: string }) => {
      const full = `${owner}/${name}`;
      const found = repositoryOf(world, token, full);
      if (!found)
        throw githubError('NOT_FOUND', `Could not resolve to a Repository with the name '${full}'.`);
      if (found.policy !== undefined) throw githubError('FORBIDDEN', POLICIES[found.policy]);
      const now = found.renamedTo ?? full;
      return repositoryRoot({
        git: world.git(now),
        name: now,
        base,
        token,
        canRead: allows(token, 'contents', 'read'),
        settings: found,
        assignable: [
          ...Object.values(world.options.tokens).map(({ user }) => user),
          ...(found.assignable ?? []),
        ],
        issues: () => world.state.of(now).filter(({ gone }) => gone === undefined).length,
      });
    },
  };
  const result = await execute({
    schema: github(),
    document,
    rootValue,
    variableValues: (question.variables ?? {}) as Record<string, unknown>,
    typeResolver: (value) => (value as { __typename?: string }).__typename,
  });
  const errors = result.errors?.map((error) => wire(error));
  return { data: result.data, ...(errors ? { errors } : {}) };
}

function wire(error: GraphQLError): unknown {
  const { message, path, locations, extensions } = error;
  const type = extensions.type;
  return {
    ...(type === undefined ? {} : { type }),
    message,
    ...(path ? { path } : {}),
    ...(locations ? { locations } : {}),
  };
}

function blames(document: DocumentNode): number {
  let count = 0;
  visit(document, { Field: (node) => void (node.name.value === 'blame' && count++) });
  return count;
}

/** Connections require `first` or `last`, 1 to 100 (docs: node limit). */
function sizes(document: DocumentNode): unknown {
  let problem: unknown = null;
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
