import type { Answer, Token } from '@culprit/client';
import { ALL_SCOPES, SCOPES, type Scope, TOKEN_LIMITS } from '@culprit/core/internal/domain/access';
import { useSignal } from '@preact/signals';
import { api, coreUrl } from '../api.js';
import { ago, exact, plural } from '../format.js';
import { Copy } from '../parts/copy.js';
import { bound, Choices, Labelled } from '../parts/field.js';
import { Pill } from '../parts/pill.js';
import { Action, Card, Cards, useResource } from '../parts/resource.js';
import { CodeScroller } from '../parts/scroller.js';
import { Text, visible } from '../parts/text.js';
import { useSubmit } from '../parts/use-submit.js';
import { clock } from '../state/clock.js';
import { announcement, report, who } from '../state/session.js';
import { NewSecret } from './new-secret.js';

/** A new token with its secret. */
type MadeToken = Answer<'makeToken'>;

/** API tokens: make one, see when each was used, revoke it. */
export function TokensPage() {
  const { found, read, act } = useResource(async () => (await api.listTokens()).tokens);
  const made = useSignal<MadeToken | null>(null);
  const revoke = (token: Token) =>
    act(
      async () => {
        const { revoked } = await api.revokeToken({ id: token.id });
        if (revoked.some(({ id }) => id === made.value?.id)) made.value = null;
        announcement.value = `Revoked ${plural(revoked.length, 'token')}.`;
      },
      {
        title: `Revoke the token “${visible(token.name)}”?`,
        content: <Consequences family={familyOf(token, found ?? [])} />,
        confirm: 'Revoke',
        danger: true,
      },
    );
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
      <Cards id="tokens" title="Tokens" count={found?.length} empty="No tokens.">
        {found?.map((token) => (
          <Card
            key={token.id}
            title={
              <>
                <Text as="b" of={token.name} />{' '}
                {token.scopes.map((scope) => (
                  <Pill key={scope}>{scope}</Pill>
                ))}
              </>
            }
            facts={factsOf(token)}
            actions={
              <Action label="Revoke" name={`Revoke ${visible(token.name)}`} run={() => revoke(token)} />
            }
          />
        ))}
      </Cards>
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

function factsOf({ projects, made_by, made_at, expires_at, last_used_at }: Token): readonly string[] {
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
  ];
}

const NEVER = 'never';
const EXPIRIES: readonly (readonly [string, string])[] = [
  ['30', 'after 30 days'],
  [String(TOKEN_LIMITS.defaultDays), `after ${TOKEN_LIMITS.defaultDays} days`],
  [String(TOKEN_LIMITS.days), 'after one year'],
  [NEVER, 'never'],
];

/** Makes a token with at most the scopes of the person who fills it in. */
function TokenForm({ made }: { readonly made: (token: MadeToken) => void }) {
  const name = useSignal('');
  const scopes = useSignal<readonly Scope[]>(['read']);
  const projects = useSignal('');
  const expires = useSignal(String(TOKEN_LIMITS.defaultDays));
  const { busy, onSubmit } = useSubmit(async () => {
    const names = projects.value.split(/[\s,]+/).filter((one) => one !== '');
    const token = await api.makeToken({
      name: name.value,
      scopes: [...scopes.value],
      projects: names.length === 0 ? null : names,
      expires_in_days: expires.value === NEVER ? null : Number(expires.value),
    });
    name.value = '';
    announcement.value = 'The token is ready. Copy it now.';
    made(token);
  }, report);
  return (
    <form class="panel" aria-labelledby="new-token" onSubmit={onSubmit}>
      <h3 id="new-token">New token</h3>
      <Labelled
        id="token-name"
        label="Name: what uses it"
        text={name}
        input={{ required: true, maxLength: TOKEN_LIMITS.name, placeholder: 'release job' }}
      />
      <ScopeChoice chosen={scopes} />
      <Labelled id="token-projects" label="Projects, separated by commas; empty: all" text={projects} />
      <label for="token-expires">Expires</label>
      <select id="token-expires" {...bound(expires)}>
        {EXPIRIES.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <div class="actions">
        <button type="submit" class="button primary" disabled={busy || scopes.value.length === 0}>
          Make the token
        </button>
      </div>
    </form>
  );
}

/** The scopes that the reader has: nobody gives more. */
function ScopeChoice({ chosen }: { readonly chosen: { value: readonly Scope[] } }) {
  const me = who.value;
  const own = me === null || me === 'unknown' ? [] : me.scopes;
  const toggle = (scope: string) => {
    const value: readonly string[] = chosen.value;
    const next = value.includes(scope) ? value.filter((one) => one !== scope) : [...value, scope];
    // Every scope but `release` needs `read`.
    const needsRead = scope !== 'read' && scope !== 'release' && next.includes(scope);
    chosen.value = ALL_SCOPES.filter((one) => next.includes(one) || (needsRead && one === 'read'));
  };
  return (
    <Choices
      legend="Scopes"
      class="scopes"
      all={ALL_SCOPES.filter((scope) => own.includes(scope))}
      chosen={chosen.value}
      toggle={toggle}
      meanings={SCOPES}
    />
  );
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
