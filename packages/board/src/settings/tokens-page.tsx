import type { Token } from '@culprit/client';
import { ALL_SCOPES, SCOPES, type Scope, TOKEN_LIMITS } from '@culprit/core/internal/domain/access';
import { useSignal } from '@preact/signals';
import { api, coreUrl } from '../api.js';
import { ago, exact, plural } from '../format.js';
import { Copy } from '../parts/copy.js';
import { Form, listOf } from '../parts/form.js';
import { Section } from '../parts/page.js';
import { Pill } from '../parts/pill.js';
import { type Facts, type Row, Rows } from '../parts/resource.js';
import { CodeScroller } from '../parts/scroller.js';
import { Text, visible } from '../parts/text.js';
import { useResource } from '../parts/use-resource.js';
import { clock } from '../state/clock.js';
import { announcement, who } from '../state/session.js';
import { NewSecret, type Secret } from './new-secret.js';

/** API tokens: make one, see when each was used, revoke it. */
export function Page() {
  const tokens = useResource(async () => (await api.listTokens()).tokens);
  const secret = useSignal<(Secret & { readonly id: string }) | null>(null);
  const rowOf = (token: Token): Row => ({
    key: token.id,
    name: token.name,
    pills: token.scopes.map((scope) => <Pill key={scope}>{scope}</Pill>),
    facts: factsOf(token),
    actions: [
      {
        label: 'Revoke',
        question: {
          title: `Revoke the token “${visible(token.name)}”?`,
          content: <Consequences family={familyOf(token, tokens.found ?? [])} />,
          confirm: 'Revoke',
          danger: true,
        },
        async run() {
          const { revoked } = await api.revokeToken({ id: token.id });
          if (revoked.some(({ id }) => id === secret.value?.id)) secret.value = null;
          return `Revoked ${plural(revoked.length, 'token')}.`;
        },
      },
    ],
  });
  return (
    <>
      <p class="soft">
        For programs: CI, coding agents, dashboards. A token acts in the name of the person who made it.
      </p>
      <NewSecret shown={secret} />
      <Rows of={tokens} rows={tokens.found?.map(rowOf)} title="Tokens" empty="No tokens." />
      <Form
        id="token"
        title="New token"
        fields={{
          name: {
            label: 'Name: what uses it',
            input: { required: true, maxLength: TOKEN_LIMITS.name, placeholder: 'release job' },
          },
          scopes: { label: 'Scopes', choices: ownScopes(), first: ['read'], complete: withRead },
          projects: { label: 'Projects, separated by commas; empty: all' },
          expires: { label: 'Expires', options: EXPIRIES, first: String(TOKEN_LIMITS.defaultDays) },
        }}
        submit="Make the token"
        ready={({ scopes }) => scopes.length > 0}
        clears
        send={async ({ name, scopes, projects, expires }) => {
          const names = listOf(projects);
          const { id, token } = await api.makeToken({
            name,
            scopes: ALL_SCOPES.filter((one) => scopes.includes(one)),
            projects: names.length === 0 ? null : names,
            expires_in_days: expires === NEVER ? null : Number(expires),
          });
          const about = (
            <b>
              The token “<Text of={name} />” is ready.
            </b>
          );
          secret.value = { label: 'The new token', text: token, about, id };
          announcement.value = 'The token is ready. Copy it now.';
          await tokens.read();
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
          <p>It has made {plural(family.length, 'other token')}, which will be revoked with it:</p>
          <ul class="stack">
            {family.map(({ id, name }) => (
              <Text as="li" of={name} key={id} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function factsOf({ projects, made_by, made_at, expires_at, last_used_at }: Token): Facts {
  const now = clock.value;
  const over = expires_at !== null && Date.parse(expires_at) <= now;
  return [
    projects === null ? 'all projects' : `${plural(projects.length, 'project')}: ${projects.join(', ')}`,
    last_used_at === null ? 'never used' : `last used ${ago(last_used_at, now)}`,
    expires_at === null
      ? 'does not expire'
      : `${over ? 'expired' : 'expires'} ${exact(expires_at).slice(0, 10)}`,
    `made by ${made_by} ${ago(made_at, now)}`,
  ];
}

const NEVER = 'never';
const EXPIRIES = [
  ['30', 'after 30 days'],
  [String(TOKEN_LIMITS.defaultDays), `after ${TOKEN_LIMITS.defaultDays} days`],
  [String(TOKEN_LIMITS.days), 'after one year'],
  [NEVER, 'never'],
] as const;

/** The scopes that the reader has, with their meaning: nobody gives more. */
function ownScopes(): Readonly<Record<string, string>> {
  const me = who.value;
  const own: readonly Scope[] = me === null || me === 'unknown' ? [] : me.scopes;
  return Object.fromEntries(Object.entries(SCOPES).filter(([scope]) => own.includes(scope as Scope)));
}

/** Every scope but `release` needs `read`. */
function withRead(scopes: readonly string[]): readonly string[] {
  return scopes.every((scope) => scope === 'release') ? scopes : ['read', ...scopes];
}

/** Where a coding agent connects: the address, and what its configuration contains. */
function Agents() {
  const address = `${coreUrl}/mcp`;
  const headers = { Authorization: 'Bearer TOKEN' };
  const configuration = { mcpServers: { culprit: { type: 'http', url: address, headers } } };
  const snippets = [
    ['Address, over HTTP', 'the address', address],
    [
      'Claude Code',
      'the command for Claude Code',
      `claude mcp add --transport http culprit ${address} --header "Authorization: Bearer TOKEN"`,
    ],
    ['Configuration of other clients', 'the configuration', JSON.stringify(configuration, null, 2)],
    [
      'Command, where a client starts its server itself',
      'the command',
      `CULPRIT_URL=${coreUrl} CULPRIT_TOKEN=TOKEN culprit mcp`,
    ],
  ] as const;
  return (
    <Section title="Connect a coding agent">
      <p class="soft">
        Agents read runs over the Model Context Protocol. Make a token with the scope <b>read</b> above, and
        put it in place of <code>TOKEN</code>.
      </p>
      {snippets.map(([name, what, text]) => (
        <div key={name} class="stack">
          <p class="heading">
            <b>{name}</b>
            <Copy what={what} text={text} label="Copy" />
          </p>
          <CodeScroller class="code" label={name}>
            {text}
          </CodeScroller>
        </div>
      ))}
    </Section>
  );
}
