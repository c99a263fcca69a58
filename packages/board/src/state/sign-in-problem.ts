import type { Answer } from '@culprit/client';

type SignInProblem = NonNullable<NonNullable<Answer<'getSignInOptions'>['provider']>['problem']>;

const NAME = 'sign_in_problem';

/** What happened, and what to do. `provider` is its display name. */
const WORDS: Readonly<Record<SignInProblem, (provider: string) => string>> = {
  cancelled: (provider) => `The sign-in at ${provider} was cancelled.`,
  expired: () =>
    'This sign-in was not started in this browser, took more than ten minutes, or was already used. Start again.',
  provider_unreachable: (provider) => `${provider} does not respond. Try again later, or use a token.`,
  provider_refused: (provider) =>
    `${provider} refused the sign-in. Try again. If that fails, ask the operator of Culprit to read core’s log.`,
  client_refused: (provider) =>
    `${provider} does not accept Culprit’s credentials. Ask the operator of Culprit to check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.`,
  answer_refused: (provider) =>
    `The answer of ${provider} failed a check. Try again. If that fails, ask the operator of Culprit to read core’s log.`,
  no_role: (provider) =>
    `You are signed in at ${provider}, but have no role in Culprit. Ask the operator of Culprit for one (OIDC_ROLES).`,
  no_project: (provider) =>
    `You are signed in at ${provider}, but have no project in Culprit. Ask the operator of Culprit for one (OIDC_PROJECTS).`,
  too_many: () => 'Too many sign-ins have failed. Try again in five minutes, or use a token.',
  unavailable: () =>
    'Culprit could not finish the sign-in; core’s log has the reason. Try again, or use a token.',
};

export function problemText(problem: string, provider: string): string {
  return Object.hasOwn(WORDS, problem)
    ? WORDS[problem as SignInProblem](provider)
    : WORDS.unavailable(provider);
}

/** Why the sign-in failed from which the browser comes back; `null`: it did not. Not in the address any more. */
export const problemOnReturn = takeProblem();

function takeProblem(): string | null {
  const params = new URLSearchParams(location.search);
  const problem = params.get(NAME);
  if (problem === null) return null;
  params.delete(NAME);
  const query = params.size === 0 ? '' : `?${params}`;
  history.replaceState(null, '', `${location.pathname}${query}${location.hash}`);
  return problem;
}
