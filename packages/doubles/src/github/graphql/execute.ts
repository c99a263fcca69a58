import { type DocumentNode, execute, type GraphQLError, visit } from 'graphql';
import type { DoubleToken } from '../options.js';
import { POLICIES } from '../policies.js';
import type { World } from '../rest/request.js';
import { allows, repositoryOf } from '../rest/request.js';
import { github, githubError, questions, sizeProblem } from './document.js';
import { repositoryRoot } from './repository.js';

export interface GraphqlAnswer {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
}

/** Executes a query as GitHub does: real schema, real null bubbling, partial data. */
export async function runGraphql(
  world: World,
  token: DoubleToken,
  base: string,
  body: unknown,
): Promise<GraphqlAnswer> {
  const { document, variables, errors: refused } = questions.read(body);
  if (document === null) return { errors: refused.map(({ message }) => ({ message })) };
  if (refused.length > 0) return { errors: refused.map((error) => wire(error)) };
  const size = sizeProblem(document);
  if (size !== null) return { errors: [size] };
  if (blames(document) > (world.options.blameFilesAtOnce ?? 8)) {
    const message =
      'Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug.';
    return { data: null, errors: [{ message }] };
  }
  const rootValue = {
    viewer: () => ({ login: token.user }),
    repository: ({ owner, name }: { owner: string; name: string }) => {
      const full = `${owner}/${name}`;
      const [known, found] = repositoryOf(world, token, full) ?? [];
      if (!found || known === undefined)
        throw githubError('NOT_FOUND', `Could not resolve to a Repository with the name '${full}'.`);
      if (found.policy !== undefined) throw githubError('FORBIDDEN', POLICIES[found.policy]);
      const now = found.renamedTo ?? known;
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
        stored: () => world.state.of(now),
        issues: () => world.state.of(now).filter(({ gone }) => gone === undefined).length,
      });
    },
  };
  const result = await execute({
    schema: github(),
    document,
    rootValue,
    variableValues: variables,
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
