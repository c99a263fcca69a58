import type { Token } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import { ago, exact, plural } from '../format.js';
import { ask } from '../parts/dialog.js';
import { visible } from '../parts/text.js';
import { clock } from '../state/clock.js';
import { announcement, report } from '../state/session.js';
import type { MadeToken } from './made-token.js';
import { NewSecret } from './new-secret.js';
import { TokenForm } from './token-form.js';

/** API tokens: make one, see when each was used, revoke it. */
export function TokensPage() {
  const tokens = useSignal<readonly Token[] | null>(null);
  const made = useSignal<MadeToken | null>(null);
  const read = async () => {
    try {
      tokens.value = await api.tokens();
    } catch (error) {
      report(error);
    }
  };
  useEffect(() => void read(), []);
  const revoke = async (token: Token) => {
    const answer = await ask({
      title: `Revoke the token “${visible(token.name)}”?`,
      content: <p>Programs that use it are refused at once. This cannot be undone.</p>,
      confirm: 'Revoke',
      danger: true,
    });
    if (answer === null) return;
    try {
      await api.revokeToken(token.id);
      if (made.value?.id === token.id) made.value = null;
      announcement.value = 'Revoked.';
    } catch (error) {
      report(error);
    }
    await read();
  };
  return (
    <>
      <p class="soft">
        For programs: CI, coding agents, dashboards. A token acts in the name of the person who made it.
      </p>
      {made.value !== null && (
        <NewSecret
          label="The new token"
          what="the token"
          secret={made.value.token}
          done={() => {
            made.value = null;
          }}
        >
          <b>
            The token “<span class="untrusted">{visible(made.value.name)}</span>” is ready.
          </b>{' '}
          Copy it now: it is not shown again.
        </NewSecret>
      )}
      <TokenList tokens={tokens.value} revoke={(token) => void revoke(token)} />
      <TokenForm
        made={(token) => {
          made.value = token;
          void read();
        }}
      />
    </>
  );
}

interface TokenListProps {
  readonly tokens: readonly Token[] | null;
  readonly revoke: (token: Token) => void;
}

function TokenList({ tokens, revoke }: TokenListProps) {
  if (tokens === null) return <p class="none">Loading…</p>;
  return (
    <section aria-labelledby="tokens">
      <h3 id="tokens">
        Tokens <span class="soft num">{tokens.length}</span>
      </h3>
      {tokens.length === 0 && <p class="none">No tokens.</p>}
      <ul class="cards">
        {tokens.map((token) => (
          <li key={token.id}>
            <div>
              <p>
                <b class="untrusted">{visible(token.name)}</b>{' '}
                {token.scopes.map((scope) => (
                  <span key={scope} class="pill">
                    {scope}
                  </span>
                ))}
              </p>
              <p class="soft untrusted">{factsOf(token)}</p>
            </div>
            <button
              type="button"
              class="button small"
              aria-label={`Revoke ${visible(token.name)}`}
              onClick={() => revoke(token)}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function factsOf({ projects, made_by, made_at, expires_at, last_used_at }: Token): string {
  const now = clock.value;
  const over = expires_at !== null && Date.parse(expires_at) <= now;
  return [
    projects === null
      ? 'all projects'
      : `${plural(projects.length, 'project')}: ${visible(projects.join(', '))}`,
    last_used_at === null ? 'never used' : `last used ${ago(last_used_at, now)}`,
    expires_at === null
      ? 'does not expire'
      : `${over ? 'expired' : 'expires'} ${exact(expires_at).slice(0, 10)}`,
    `made by ${visible(made_by)} ${ago(made_at, now)}`,
  ].join(' · ');
}
