import type { Token } from '@culprit/client';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, coreUrl } from '../api.js';
import { ago, exact, plural } from '../format.js';
import { Button } from '../parts/button.js';
import { Copy } from '../parts/copy.js';
import { ask } from '../parts/dialog.js';
import { Pill } from '../parts/pill.js';
import { CodeScroller } from '../parts/scroller.js';
import { Text, visible } from '../parts/text.js';
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
      tokens.value = (await api.listTokens()).tokens;
    } catch (error) {
      report(error);
    }
  };
  useEffect(() => void read(), []);
  const revoke = async (token: Token) => {
    const answer = await ask({
      title: `Revoke the token “${visible(token.name)}”?`,
      content: <Consequences family={familyOf(token, tokens.value ?? [])} />,
      confirm: 'Revoke',
      danger: true,
    });
    if (answer === null) return;
    try {
      const { revoked } = await api.revokeToken({ id: token.id });
      if (revoked.some(({ id }) => id === made.value?.id)) made.value = null;
      announcement.value = `Revoked ${plural(revoked.length, 'token')}.`;
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
            The token “<Text of={made.value.name} />” is ready.
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
      <Agents />
    </>
  );
}

/** The tokens that a token made, directly or not. A token is listed after the one that made it. */
function familyOf({ id }: Token, tokens: readonly Token[]): readonly Token[] {
  const ids = new Set([id]);
  return tokens.filter((token) => {
    if (token.made_with === null || !ids.has(token.made_with)) return false;
    ids.add(token.id);
    return true;
  });
}

function Consequences({ family }: { readonly family: readonly Token[] }) {
  return (
    <>
      <p>Programs that use it are refused at once. This cannot be undone.</p>
      {family.length > 0 && (
        <>
          <p>It has made {plural(family.length, 'other token')}, revoked with it:</p>
          <ul class="which">
            {family.map(({ id, name }) => (
              <Text as="li" of={name} key={id} />
            ))}
          </ul>
        </>
      )}
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
                <Text as="b" of={token.name} />{' '}
                {token.scopes.map((scope) => (
                  <Pill key={scope}>{scope}</Pill>
                ))}
              </p>
              <p class="soft untrusted">{factsOf(token)}</p>
            </div>
            <Button small aria-label={`Revoke ${visible(token.name)}`} onClick={() => revoke(token)}>
              Revoke
            </Button>
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

/** Where a coding agent connects: the address, and what its configuration contains. */
function Agents() {
  const address = `${coreUrl}/mcp`;
  return (
    <section aria-labelledby="agents">
      <h3 id="agents">Connect a coding agent</h3>
      <p class="soft">
        Agents read runs over the Model Context Protocol. Make a token with the scope <b>read</b> above, and
        put it in place of <code>TOKEN</code>.
      </p>
      <Snippet name="Address, over HTTP" what="the address" text={address} />
      <Snippet name="Claude Code" what="the command for Claude Code" text={claude(address)} />
      <Snippet name="Configuration of other clients" what="the configuration" text={overHttp(address)} />
      <Snippet
        name="Command, where a client starts its server itself"
        what="the command"
        text={`CULPRIT_URL=${coreUrl} CULPRIT_TOKEN=TOKEN culprit mcp`}
      />
    </section>
  );
}

interface SnippetProps {
  readonly name: string;
  readonly what: string;
  readonly text: string;
}

function Snippet({ name, what, text }: SnippetProps) {
  return (
    <div class="snippet">
      <p class="heading">
        <b>{name}</b>
        <Copy what={what} text={text} label="Copy" />
      </p>
      <CodeScroller class="code" label={name}>
        {text}
      </CodeScroller>
    </div>
  );
}

function claude(address: string): string {
  return `claude mcp add --transport http culprit ${address} --header "Authorization: Bearer TOKEN"`;
}

function overHttp(url: string): string {
  const headers = { Authorization: 'Bearer TOKEN' };
  return JSON.stringify({ mcpServers: { culprit: { type: 'http', url, headers } } }, null, 2);
}
