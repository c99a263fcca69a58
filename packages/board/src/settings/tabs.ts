import type { Scope } from '@culprit/core/internal/domain/access';
import type { ComponentType } from 'preact';
import { lazy } from '../parts/lazy.js';

/** A page below Settings. */
export interface SettingsTab {
  /** In the address: `#/settings/tokens`. */
  readonly id: string;
  readonly label: string;
  /** Who lacks it in any project does not see the tab. Absent: everybody sees it. */
  readonly scope?: Scope;
  /** Loaded when it is first opened. */
  readonly Page: ComponentType<object>;
}

/** Every page below Settings, in the order of the tabs: one row for each. */
export const SETTINGS_TABS: readonly SettingsTab[] = [
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
