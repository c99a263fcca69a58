import type { Session } from '@culprit/client';
import type { RunSummary } from '@culprit/core';
import { mayIn } from '@culprit/core/internal/domain/access';
import { claimOf } from '@culprit/core/internal/domain/claim';
import { COMEBACK_WORDS, comebacksOf } from '@culprit/core/internal/domain/comeback';
import { samePerson } from '@culprit/core/internal/domain/person';
import { wokenText } from '@culprit/core/internal/domain/snooze';
import { likelihood } from '@culprit/core/internal/domain/verdict';
import { brief, plural } from '../format.js';
import { ICONS, Icon } from '../parts/icons.js';
import { Pill, StatePill } from '../parts/pill.js';
import { Spark } from '../parts/spark.js';
import { Text, visible } from '../parts/text.js';
import { When } from '../parts/when.js';
import { stepNow } from '../run/analysis-progress.js';
import { OVER } from '../run/head.js';
import { snoozeWords } from '../run/snooze-choice.js';
import { curveOf } from '../state/activity.js';
import { clock } from '../state/clock.js';
import { unseen } from '../state/feed.js';
import { addressOfRun } from '../state/route.js';
import { me } from '../state/session.js';
import { waits } from './select.js';

interface RowProps {
  readonly run: RunSummary;
  readonly selected: boolean;
  readonly manyProjects: boolean;
}

export function Row({ run, selected, manyProjects }: RowProps) {
  const curve = curveOf(run);
  return (
    <a
      class="row"
      href={addressOfRun(run)}
      aria-current={selected ? 'true' : undefined}
      data-run={run.run_id}
      data-regression={run.regression_of === null ? undefined : ''}
    >
      <Title run={run} />
      <When iso={run.last_seen} class="when num" />
      <span class="meta">
        <StatePill state={run.state} />
        {run.pinned && <Pill tone="grey">pinned</Pill>}
        {run.resolution && (
          <Pill tone={run.resolution.as === 'fixed' ? 'green' : 'grey'}>{OVER[run.resolution.as]}</Pill>
        )}
        {run.woken && (
          <Pill tone="amber" title={visible(wokenText(run.woken))}>
            awake
          </Pill>
        )}
        {comebacksOf(run).map(({ code }) => (
          <Pill key={code} tone={code === 'returned' ? 'amber' : 'red'}>
            {code === 'returned' ? 'returned' : COMEBACK_WORDS[code]}
            {code === 'returned' && <span class="sr"> by a reviewer</span>}
          </Pill>
        ))}
        {run.came_back_as !== undefined && <Pill tone="red">came back</Pill>}
        <span class="level" data-level={run.level}>
          {run.level}
        </span>
        <span class="num" title={plural(run.occurrences, 'crash', 'crashes')}>
          ×{brief(run.occurrences)}
          <span class="sr"> crashes</span>
        </span>
        <Users run={run} />
        <span class="lead">{leadOf(run)}</span>
        {(run.comments ?? 0) > 0 && <span class="num">{plural(run.comments ?? 0, 'comment')}</span>}
      </span>
      {curve === null ? <span /> : <Spark values={curve} width={60} height={14} unit="crashes in 24 hours" />}
      <span class="foot">
        <Text of={placeOf(run, manyProjects)} class="place" />
        <TurnMark run={run} />
      </span>
    </a>
  );
}

/** How many users have crashed, if any is known. */
function Users({ run: { users } }: Pick<RowProps, 'run'>) {
  if (users === undefined || users.count === 0) return null;
  const words = `${users.more ? 'over ' : ''}${plural(users.count, 'user')} affected`;
  return (
    <span class="num users" title={words}>
      <Icon path={ICONS.user} size={11} />
      <span aria-hidden="true">
        {brief(users.count)}
        {users.more ? '+' : ''}
      </span>
      <span class="sr"> {words}</span>
    </span>
  );
}

/** Titles up to this length are cut at their end, if at all. */
const SHORT_CHARS = 40;
/** The longest end that stays visible. */
const END_CHARS = 18;

/** A long title loses its middle: both the type and what it is about remain. */
function Title({ run }: Pick<RowProps, 'run'>) {
  const title = visible(run.title);
  const cut = endOf(title);
  return (
    <span class="title">
      {unseen.value.has(run.run_id) && (
        <span class="new">
          <span class="sr">new: </span>
        </span>
      )}
      <span class="start">{title.slice(0, cut)}</span>
      {cut < title.length && <span class="end">{title.slice(cut)}</span>}
    </span>
  );
}

/** Where the end of a long title starts: with its last words. */
function endOf(title: string): number {
  if (title.length <= SHORT_CHARS) return title.length;
  const word = title.indexOf(' ', title.length - END_CHARS);
  const cut = word === -1 || word === title.length - 1 ? title.length - END_CHARS / 2 : word;
  // Not between the halves of one character.
  return /[\uDC00-\uDFFF]/.test(title[cut] ?? '') ? cut + 1 : cut;
}

/** `total at src/cart.js:4 · production · node`; for a snoozed run first what it waits for, for one that is back why. */
function placeOf(run: RunSummary, manyProjects: boolean): string {
  const { place, project, environments, platform, state, snooze } = run;
  const until = state === 'snoozed' && snooze ? snoozeWords(snooze) : '';
  const line = place?.line === null ? '' : `:${place?.line}`;
  const file = place?.file ? `${place.file.split('/').slice(-2).join('/')}${line}` : '';
  const where = [place?.function ?? '', file].filter(Boolean).join(' at ');
  const parts = [until, backOf(run), where, environments.at(-1) ?? '', platform, manyProjects ? project : ''];
  return parts.filter(Boolean).join(' · ');
}

/** Characters of a reason in a row; the page has all of it. */
const BACK_CHARS = 120;

/** The error, or the reviewer's reason, on one line. */
function backOf(run: RunSummary): string {
  const texts = comebacksOf(run).map((one) => {
    if (one.code === 'regression') return '';
    return one.code === 'returned'
      ? `“${one.reason.slice(0, BACK_CHARS)}”`
      : one.error.detail.slice(0, BACK_CHARS);
  });
  return texts.join('').replace(/\s+/g, ' ');
}

function TurnMark({ run }: Pick<RowProps, 'run'>) {
  if (me.value === null) return null;
  const claim = waits(run) ? claimOf(run, clock.value) : null;
  if (claim !== null) {
    const mine = claim.by === me.value.name;
    return (
      <Text
        of={`claimed by ${mine ? 'you' : claim.by}`}
        class="turn"
        data-turn={mine ? 'yours' : 'another'}
      />
    );
  }
  const turn = turnOf(run, me.value);
  return (
    <span class="turn" data-turn={turn}>
      {turn === null ? '' : TURN_WORDS[turn]}
    </span>
  );
}

/** The most important fact besides the title. */
function leadOf(run: RunSummary): string {
  if (run.state === 'analyzing') return stepNow(run.run_id) ?? '';
  if (run.last_error !== null && run.state !== 'staged_raw') return 'publishing failed';
  const [first] = run.suspects;
  if (first !== undefined && first.verdict !== 'recent')
    return `${first.sha.slice(0, 7)} ${likelihood(first)}`;
  if (run.publication !== null) return `#${run.publication.number}`;
  return run.no_suspect === null ? '' : 'no suspect';
}

/** Whose turn it is: `yours` if you may decide now, `another` if your role or the rules ask for another reviewer, `nobody` if Culprit is working or the run is snoozed. */
type Turn = 'yours' | 'another' | 'nobody';

const TURN_WORDS: Readonly<Record<Turn, string>> = {
  yours: 'your turn',
  another: 'another reviewer’s turn',
  nobody: 'nobody’s turn',
};

/** `null` for a closed run. */
function turnOf(
  { state, draft, approved_by, project }: Pick<RunSummary, 'state' | 'draft' | 'approved_by' | 'project'>,
  { name, rules, grants }: Pick<Session, 'name' | 'rules' | 'grants'>,
): Turn | null {
  switch (state) {
    case 'staged_raw':
      return mayIn(grants, 'gate1', project) ? 'yours' : 'another';
    case 'staged_draft':
      if (!mayIn(grants, 'gate2', project)) return 'another';
      return rules.second_person && [approved_by, draft?.edited_by].some((by) => by && samePerson(by, name))
        ? 'another'
        : 'yours';
    case 'analyzing':
    case 'publishing':
    case 'snoozed':
      return 'nobody';
    case 'published':
    case 'rejected':
    case 'merged':
      return null;
  }
}
