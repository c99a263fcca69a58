import type { Answer } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from './api.js';
import { Button } from './parts/button.js';
import { Mark } from './parts/icons.js';
import { Text, visible } from './parts/text.js';
import { offered, signedIn, signedOutBecause } from './state/session.js';
import { problemOnReturn, problemText } from './state/sign-in-problem.js';

/** What a browser without a session sees. */
export function SignIn() {
  return (
    <main class="sign-in">
      <Mark size={36} />
      {offered.value === null ? <WithToken /> : <WithLink {...offered.value} />}
    </main>
  );
}

function WithLink({ link, name }: NonNullable<(typeof offered)['value']>) {
  const problem = useSignal('');
  const busy = useSignal(false);
  const accept = async () => {
    busy.value = true;
    try {
      await api.signIn({ link });
      signedIn(await api.getSession());
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
      busy.value = false;
    }
  };
  const refuse = () => {
    offered.value = null;
  };
  return (
    <>
      <h1>Sign in as {visible(name)}?</h1>
      <p class="soft">
        This sign-in link is for <Text as="b" of={name} />: every decision you make will be recorded under
        that name. Continue only if you asked for the link, or made it yourself.
      </p>
      <div class="sign-in-form stack">
        <p class="problem" role="alert">
          {problem.value}
        </p>
        <Button look="primary" disabled={busy.value} onClick={accept}>
          Sign in as {visible(name)}
        </Button>
        <Button onClick={refuse}>Sign in as somebody else</Button>
      </div>
    </>
  );
}

/** Trades a reviewer token for the session cookie. */
function WithToken() {
  const token = useRef<HTMLInputElement>(null);
  const problem = useSignal('');
  const busy = useSignal(false);
  useEffect(() => token.current?.focus(), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    busy.value = true;
    problem.value = '';
    try {
      await api.signIn({ token: token.current?.value.trim() ?? '' });
      signedIn(await api.getSession());
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
      token.current?.select();
    } finally {
      busy.value = false;
    }
  };
  return (
    <>
      <h1>Sign in to review</h1>
      <p class="soft">Every decision is recorded under your name.</p>
      {signedOutBecause.value !== '' && <p role="status">{signedOutBecause.value}</p>}
      <ProviderSignIn />
      <form onSubmit={submit} class="sign-in-form stack">
        <label for="token">Reviewer token</label>
        <input
          ref={token}
          id="token"
          name="token"
          type="password"
          required
          autocomplete="current-password"
          spellcheck={false}
          aria-describedby="token-hint"
        />
        <p class="problem" role="alert">
          {problem.value}
        </p>
        <button type="submit" class="button primary" disabled={busy.value}>
          Sign in
        </button>
      </form>
      <p class="soft" id="token-hint">
        Ask the person who runs Culprit for a sign-in link or a token. If that is you:{' '}
        <code>culprit link</code>, on the machine that runs it, prints a link that signs in once.
      </p>
    </>
  );
}

type Provider = NonNullable<Answer<'getSignInOptions', 200>['provider']>;

/** The link to the provider and what is wrong with it; nothing if none is configured. */
function ProviderSignIn() {
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
    <section class="sign-in-provider stack" aria-label={`Sign in with ${name}`}>
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
