import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from './api.js';
import { ago } from './format.js';
import { Blank } from './inbox/empty.js';
import { reload, waiting } from './inbox/inbox-state.js';
import { RunList } from './inbox/list.js';
import { listenToKeys, sheetOpen } from './keys.js';
import { KeysSheet } from './keys-sheet.js';
import { Button } from './parts/button.js';
import { DecidedBar } from './parts/decided-bar.js';
import { AskDialog } from './parts/dialog.js';
import { ICONS, Icon, Mark } from './parts/icons.js';
import { lazy } from './parts/lazy.js';
import { Nowhere } from './parts/nowhere.js';
import { Text, visible } from './parts/text.js';
import { RunPage } from './run/run-page.js';
import { SHORTCUTS } from './shortcuts.js';
import { SignIn } from './sign-in.js';
import { desktop, toggleDesktop } from './state/desktop.js';
import { connection, lastHeard, silence, startFeed, stopFeed } from './state/feed.js';
import { readGuardHistory } from './state/guards.js';
import { type Route, route } from './state/route.js';
import { open, shown } from './state/run.js';
import { announcement, me, notice, report, seesInstallation, signedOut, who } from './state/session.js';
import { nextTheme, theme } from './state/theme.js';
import { readFailedNotifications, troubleLines } from './state/trouble.js';

/** Loaded when they are first opened. */
const SettingsPage = lazy(() => import('./settings/settings-page.js').then((loaded) => loaded.SettingsPage));
const EdgesPage = lazy(() => import('./edges/edges-page.js').then((loaded) => loaded.EdgesPage));
const ReleasesPage = lazy(() => import('./releases/releases-page.js').then((loaded) => loaded.ReleasesPage));
const ReleasePage = lazy(() => import('./releases/release-page.js').then((loaded) => loaded.ReleasePage));
const DigestPage = lazy(() => import('./digest/digest-page.js').then((loaded) => loaded.DigestPage));

export function App() {
  if (who.value === 'unknown') return null;
  return me.value === null ? <SignIn /> : <Board key={me.value.name} />;
}

/** The interval of looking for failed notifications. The page of edges looks more often. */
const LOOK_MS = 60_000;

function Board() {
  const place = route.value;
  useEffect(() => {
    startFeed();
    reload(0);
    if (seesInstallation()) readGuardHistory().catch(report);
    const look = () => void readFailedNotifications().catch(() => {});
    look();
    const looking = window.setInterval(look, LOOK_MS);
    const stop = listenToKeys(SHORTCUTS);
    return () => {
      stop();
      window.clearInterval(looking);
      stopFeed();
      open(null);
    };
  }, []);
  useEffect(() => open(place.page === 'run' ? place.id : null), [place]);
  return (
    <>
      <button type="button" class="skip" onClick={toMain}>
        Skip to the run
      </button>
      <TabTitle />
      <TopBar />
      <Notice />
      <DecidedBar />
      {place.page !== 'inbox' && place.page !== 'run' ? (
        <main id="main" class="pane" tabIndex={-1}>
          {place.page === 'nowhere' && <Nowhere />}
          {place.page === 'edges' && <EdgesPage />}
          {place.page === 'digest' && <DigestPage since={place.since} until={place.until} />}
          {place.page === 'releases' && <ReleasesPage project={place.project} />}
          {place.page === 'release' && (
            <ReleasePage
              key={`${place.project}\n${place.version}`}
              project={place.project}
              version={place.version}
            />
          )}
          {place.page === 'settings' && <SettingsPage tab={place.tab} />}
        </main>
      ) : (
        // Around both panes, of which narrow screens show one.
        <main class="board" data-view={place.page === 'run' ? 'run' : 'list'}>
          <RunList />
          <div id="main" class="pane" tabIndex={-1}>
            {place.page === 'run' ? <RunPage /> : <Blank />}
          </div>
        </main>
      )}
      <p class="sr" role="status" aria-live="polite">
        {visible(announcement.value)}
      </p>
      <AskDialog />
      <KeysSheet />
    </>
  );
}

/** Names the tab: `(3) TypeError: total is not a function · Culprit`. */
function TabTitle() {
  const title = titleOf(route.value);
  useEffect(() => {
    document.title = title;
  }, [title]);
  return null;
}

const PAGE_TITLES: Readonly<Record<Route['page'], string>> = {
  edges: 'Edges · ',
  digest: 'Digest · ',
  releases: 'Releases · ',
  release: 'Release · ',
  settings: 'Settings · ',
  nowhere: 'No such page · ',
  inbox: '',
  run: '',
};

function titleOf(place: Route): string {
  const run = place.page === 'run' && shown.value?.run.run_id === place.id ? shown.value.run : null;
  const page = PAGE_TITLES[place.page];
  const name = run !== null ? `${visible(run.title).slice(0, 80)} · ` : page;
  return `${waiting.value === 0 ? '' : `(${waiting.value}) `}${name}Culprit`;
}

/** A button, because the URL fragment names the run. */
function toMain(): void {
  document.getElementById('main')?.focus();
}

function TopBar() {
  const place = route.value;
  const look = { auto: 'system', light: 'light', dark: 'dark' }[theme.value];
  const icon = { auto: ICONS.auto, light: ICONS.sun, dark: ICONS.moon }[theme.value];
  return (
    <header class="top">
      <h1 class="brand">
        <Mark />
        Culprit
      </h1>
      <nav class="tabs-main" aria-label="Pages">
        <a href="#/" aria-current={place.page === 'inbox' || place.page === 'run' ? 'page' : undefined}>
          Inbox
          {waiting.value > 0 && (
            <span class="count">
              {waiting.value}
              <span class="sr"> waiting for review</span>
            </span>
          )}
        </a>
        {seesInstallation() && <EdgesLink current={place.page === 'edges'} />}
        <a href="#/digest" aria-current={place.page === 'digest' ? 'page' : undefined}>
          Digest
        </a>
        <a href="#/releases" aria-current={place.page.startsWith('release') ? 'page' : undefined}>
          Releases
        </a>
        <a href="#/settings" aria-current={place.page === 'settings' ? 'page' : undefined}>
          Settings
        </a>
      </nav>
      <div class="top-end">
        <Connection />
        <button
          type="button"
          class="icon-button"
          onClick={() => void toggleDesktop()}
          aria-label="Desktop notifications"
          aria-pressed={desktop.value}
          title={`Desktop notifications: ${desktop.value ? 'on' : 'off'}`}
        >
          <Icon path={ICONS.bell} size={16} />
        </button>
        <button
          type="button"
          class="icon-button"
          onClick={nextTheme}
          aria-label={`Theme: ${look}`}
          title={`Theme: ${look}`}
        >
          <Icon path={icon} size={16} />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          onClick={() => {
            sheetOpen.value = true;
          }}
        >
          <kbd>?</kbd>
        </button>
        {me.value !== null && <Text of={me.value.name} class="who soft" title={visible(me.value.name)} />}
        <Button small onClick={signOut}>
          Sign out
        </Button>
      </div>
    </header>
  );
}

function EdgesLink({ current }: { readonly current: boolean }) {
  return (
    <a href="#/edges" aria-current={current ? 'page' : undefined}>
      Edges
      {troubleLines.value.length > 0 && (
        <span class="count" data-tone="red">
          {troubleLines.value.length}
          <span class="sr"> {troubleLines.value.length === 1 ? 'problem' : 'problems'}</span>
        </span>
      )}
    </a>
  );
}

function signOut(): void {
  api.signOut().then((answer) => {
    // The provider has a session of its own, which would sign in again at once.
    if (answer?.provider_url !== undefined) location.assign(answer.provider_url);
    else signedOut('');
  }, report);
}

/** The state of the live feed, always visible. */
function Connection() {
  const now = useSignal(Date.now());
  const { detail } = connection.value;
  useEffect(() => {
    const timer = window.setInterval(() => {
      now.value = Date.now();
    }, 1_000);
    return () => window.clearInterval(timer);
  }, []);
  const text = connectionText(now.value);
  const state = silence.value > 0 ? 'waiting' : connection.value.state;
  return (
    <span class="connection" data-state={state} title={detail}>
      <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
        {state === 'live' ? (
          <circle cx="5" cy="5" r="4" fill="currentColor" />
        ) : (
          <circle class="busy-dot" cx="5" cy="5" r="3.5" fill="none" stroke="currentColor" stroke-width="2" />
        )}
      </svg>
      <span class="text">{text}</span>
      <span class="sr" role="status">
        {state === 'live' ? 'The live feed is connected.' : 'The live feed is not connected.'}
      </span>
    </span>
  );
}

function connectionText(now: number): string {
  const { state } = connection.value;
  if (state === 'closed') return 'Disconnected';
  if (state === 'live') return silence.value === 0 ? 'Live' : `No data for ${silence.value} s`;
  return `Reconnecting, last update ${ago(new Date(lastHeard.value).toISOString(), now)}`;
}

function Notice() {
  const current = notice.value;
  if (current === null) return null;
  return (
    <div class="banner" data-tone={current.tone} role="alert">
      <Text as="p" of={current.text} />
      {current.run !== undefined && (
        <a class="button small" href={`#${current.run}`}>
          Open the run
        </a>
      )}
      <Button
        small
        onClick={() => {
          notice.value = null;
        }}
      >
        Dismiss
      </Button>
    </div>
  );
}
