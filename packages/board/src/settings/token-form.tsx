import { ALL_SCOPES, SCOPES, type Scope, TOKEN_LIMITS } from '@culprit/core/internal/domain/access';
import { useSignal } from '@preact/signals';
import { api } from '../api.js';
import { useSubmit } from '../parts/use-submit.js';
import { announcement, report, who } from '../state/session.js';
import type { MadeToken } from './made-token.js';

const NEVER = 'never';
const EXPIRIES: readonly (readonly [string, string])[] = [
  ['30', 'after 30 days'],
  [String(TOKEN_LIMITS.defaultDays), `after ${TOKEN_LIMITS.defaultDays} days`],
  [String(TOKEN_LIMITS.days), 'after one year'],
  [NEVER, 'never'],
];
const FIRST: readonly Scope[] = ['read'];

interface TokenFormProps {
  readonly made: (token: MadeToken) => void;
}

/** Makes a token with at most the scopes of whoever fills it in. */
export function TokenForm({ made }: TokenFormProps) {
  const name = useSignal('');
  const scopes = useSignal(FIRST);
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
      <label for="token-name">Name: what uses it</label>
      <input
        id="token-name"
        required
        maxLength={TOKEN_LIMITS.name}
        autocomplete="off"
        placeholder="release job"
        value={name.value}
        onInput={({ currentTarget }) => {
          name.value = currentTarget.value;
        }}
      />
      <ScopeChoice
        chosen={scopes.value}
        choose={(next) => {
          scopes.value = next;
        }}
      />
      <label for="token-projects">Projects, separated by commas; empty: all</label>
      <input
        id="token-projects"
        autocomplete="off"
        value={projects.value}
        onInput={({ currentTarget }) => {
          projects.value = currentTarget.value;
        }}
      />
      <label for="token-expires">Expires</label>
      <select
        id="token-expires"
        value={expires.value}
        onChange={({ currentTarget }) => {
          expires.value = currentTarget.value;
        }}
      >
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

interface ScopeChoiceProps {
  readonly chosen: readonly Scope[];
  readonly choose: (scopes: readonly Scope[]) => void;
}

/** The scopes that the reader has: nobody gives more. */
function ScopeChoice({ chosen, choose }: ScopeChoiceProps) {
  const me = who.value;
  const own = me === null || me === 'unknown' ? [] : me.scopes;
  const toggle = (scope: Scope) => {
    const next = chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope];
    // Every scope but `release` needs `read`.
    const needsRead = scope !== 'read' && scope !== 'release' && next.includes(scope);
    choose(ALL_SCOPES.filter((one) => next.includes(one) || (needsRead && one === 'read')));
  };
  return (
    <fieldset class="choice scopes">
      <legend>Scopes</legend>
      {ALL_SCOPES.filter((scope) => own.includes(scope)).map((scope) => (
        <div key={scope}>
          <label>
            <input type="checkbox" checked={chosen.includes(scope)} onChange={() => toggle(scope)} />
            <span>
              <b>{scope}</b> <span class="soft">{SCOPES[scope]}</span>
            </span>
          </label>
        </div>
      ))}
    </fieldset>
  );
}
