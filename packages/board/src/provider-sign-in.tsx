import type { Answer } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from './api.js';
import { problemOnReturn, problemText } from './state/sign-in-problem.js';

type Provider = NonNullable<Answer<'getSignInOptions', 200>['provider']>;

/** The link to the provider and what is wrong with it; nothing if none is configured. */
export function ProviderSignIn() {
  const provider = useSignal<Provider | null>(null);
  useEffect(() => {
    api.getSignInOptions().then(
      (options) => {
        provider.value = options.provider;
      },
      // The token's form reports that core does not respond.
      () => {},
    );
  }, []);
  if (provider.value === null) return null;
  const { name, path, problem } = provider.value;
  const shown = problemOnReturn ?? problem;
  const to = `${location.pathname}${location.search}${location.hash}`;
  return (
    <section class="sign-in-provider" aria-label={`Sign in with ${name}`}>
      {shown !== null && (
        <p class="problem" role="alert">
          {problemText(shown, name)}
        </p>
      )}
      <a class="button primary" href={`${path}?to=${encodeURIComponent(to)}`}>
        Sign in with {name}
      </a>
      <p class="soft or">or with a token</p>
    </section>
  );
}
