import type { Scope } from '@culprit/core/internal/domain/access';
import type { ComponentType } from 'preact';
import { lazy } from '../parts/lazy.js';
import { Page } from '../parts/page.js';
import { mayEverywhere } from '../state/session.js';

interface SettingsPageProps {
  /** The id of a tab; unknown ones and `null` lead to the first. */
  readonly tab: string | null;
}

/** The frame of all pages below Settings. */
export function SettingsPage({ tab }: SettingsPageProps) {
  const tabs = SETTINGS_TABS.filter(({ scope }) => scope === undefined || mayEverywhere(scope));
  const current = tabs.find(({ id }) => id === tab) ?? tabs[0];
  const links = tabs.map(({ id, label }) => (
    <a key={id} href={`#/settings/${id}`} aria-current={id === current?.id ? 'page' : undefined}>
      {label}
    </a>
  ));
  return (
    <Page
      title="Settings"
      beside={
        <nav class="tabs-main" aria-label="Settings">
          {links}
        </nav>
      }
    >
      {current === undefined ? (
        <p class="none">Your role has no settings. They need the scope “operate”.</p>
      ) : (
        <current.Page key={current.id} />
      )}
    </Page>
  );
}

/** A page below Settings. */
interface SettingsTab {
  /** In the address: `#/settings/tokens`. */
  readonly id: string;
  readonly label: string;
  /** Who lacks it in any project does not see the tab. Absent: everybody sees it. */
  readonly scope?: Scope;
  readonly Page: ComponentType<object>;
}

/** The component of a module, which is loaded when its tab is first opened. */
function pageOf(load: () => Promise<{ readonly Page: ComponentType<object> }>): ComponentType<object> {
  return lazy(() => load().then(({ Page }) => Page));
}

/** Every page below Settings, in the order of the tabs: one row for each. */
const SETTINGS_TABS: readonly SettingsTab[] = [
  { id: 'tokens', label: 'Tokens', scope: 'operate', Page: pageOf(() => import('./tokens-page.js')) },
  { id: 'sessions', label: 'Sessions', Page: pageOf(() => import('./sessions-page.js')) },
  { id: 'send-crashes', label: 'Send crashes', Page: pageOf(() => import('./send-crashes-page.js')) },
  {
    id: 'source-maps',
    label: 'Source maps',
    scope: 'read',
    Page: pageOf(() => import('./source-maps-page.js')),
  },
  { id: 'webhooks', label: 'Webhooks', scope: 'operate', Page: pageOf(() => import('./webhooks-page.js')) },
  { id: 'model', label: 'Model', Page: pageOf(() => import('./model-page.js')) },
  { id: 'health', label: 'Health', scope: 'operate', Page: pageOf(() => import('./health-page.js')) },
  { id: 'history', label: 'History', scope: 'operate', Page: pageOf(() => import('./history-page.js')) },
  { id: 'erase', label: 'Erase a person', scope: 'operate', Page: pageOf(() => import('./erase-page.js')) },
];
