import { mayEverywhere } from '../state/session.js';
import { SETTINGS_TABS } from './tabs.js';

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
