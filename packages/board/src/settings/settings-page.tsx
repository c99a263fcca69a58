import type { Scope } from '@culprit/core/internal/domain/access';
import type { ComponentType } from 'preact';
import { lazy } from '../parts/lazy.js';
import { mayEverywhere } from '../state/session.js';

interface SettingsPageProps {
  /** The id of a tab; unknown ones and `null` lead to the first. */
  readonly tab: string | null;
}

/** The frame of all pages below Settings. */
export function SettingsPage({ tab }: SettingsPageProps) {
  const tabs = SETTINGS_TABS.filter(({ scope }) => scope === undefined || mayEverywhere(scope));
  const current = tabs.find(({ id }) => id === tab) ?? tabs[0];
  return (
    <div class="settings">
      <header>
        <h2>Settings</h2>
        <nav class="tabs-main" aria-label="Settings">
          {tabs.map(({ id, label }) => (
            <a key={id} href={`#/settings/${id}`} aria-current={id === current?.id ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
      </header>
      {current === undefined ? (
        <p class="none">Your role has no settings. They need the scope “operate”.</p>
      ) : (
        <current.Page key={current.id} />
      )}
    </div>
  );
}

/** A page below Settings. */
interface SettingsTab {
  /** In the address: `#/settings/tokens`. */
  readonly id: string;
  readonly label: string;
  /** Who lacks it in any project does not see the tab. Absent: everybody sees it. */
  readonly scope?: Scope;
  /** Loaded when it is first opened. */
  readonly Page: ComponentType<object>;
}

/** Every page below Settings, in the order of the tabs: one row for each. */
const SETTINGS_TABS: readonly SettingsTab[] = [
  {
    id: 'tokens',
    label: 'Tokens',
    scope: 'operate',
    Page: lazy(() => import('./tokens-page.js').then((loaded) => loaded.TokensPage)),
  },
  {
    id: 'sessions',
    label: 'Sessions',
    Page: lazy(() => import('./sessions-page.js').then((loaded) => loaded.SessionsPage)),
  },
  {
    id: 'send-crashes',
    label: 'Send crashes',
    Page: lazy(() => import('./send-crashes-page.js').then((loaded) => loaded.SendCrashesPage)),
  },
  {
    id: 'source-maps',
    label: 'Source maps',
    scope: 'read',
    Page: lazy(() => import('./source-maps-page.js').then((loaded) => loaded.SourceMapsPage)),
  },
  {
    id: 'webhooks',
    label: 'Webhooks',
    scope: 'operate',
    Page: lazy(() => import('./webhooks-page.js').then((loaded) => loaded.WebhooksPage)),
  },
  {
    id: 'model',
    label: 'Model',
    Page: lazy(() => import('./model-page.js').then((loaded) => loaded.ModelPage)),
  },
  {
    id: 'health',
    label: 'Health',
    scope: 'operate',
    Page: lazy(() => import('./health-page.js').then((loaded) => loaded.HealthPage)),
  },
  {
    id: 'history',
    label: 'History',
    scope: 'operate',
    Page: lazy(() => import('./history-page.js').then((loaded) => loaded.HistoryPage)),
  },
  {
    id: 'erase',
    label: 'Erase a person',
    scope: 'operate',
    Page: lazy(() => import('./erase-page.js').then((loaded) => loaded.ErasePage)),
  },
];
