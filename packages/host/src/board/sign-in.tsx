import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api } from './api.js';
import { Mark } from './parts/icons.js';
import { ProviderSignIn } from './provider-sign-in.js';
import { signedIn, signedOutBecause } from './state/session.js';

/** Trades a reviewer token for the session cookie. */
export function SignIn() {
  const token = useRef<HTMLInputElement>(null);
  const problem = useSignal('');
  const busy = useSignal(false);
  useEffect(() => token.current?.focus(), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    busy.value = true;
    problem.value = '';
    try {
      await api.signIn(token.current?.value.trim() ?? '');
      signedIn(await api.session());
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
      token.current?.select();
    } finally {
      busy.value = false;
    }
  };
  return (
    <main class="sign-in">
      <Mark size={36} />
      <h1>Sign in to review</h1>
      <p class="soft">The history of every decision has your name.</p>
      {signedOutBecause.value !== '' && <p role="status">{signedOutBecause.value}</p>}
      <ProviderSignIn />
      <form onSubmit={submit} class="sign-in-form">
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
    </main>
  );
}
