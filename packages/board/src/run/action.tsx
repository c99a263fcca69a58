import { ApiError } from '@culprit/client';
import type { Run, RunSummary } from '@culprit/core';
import type { Scope } from '@culprit/core/internal/domain/access';
import type { VNode } from 'preact';
import { neighboursOf } from '../inbox/advance.js';
import { Button } from '../parts/button.js';
import { ask, isAsking, type Question } from '../parts/dialog.js';
import { Key } from '../parts/scroller.js';
import { visible } from '../parts/text.js';
import { noteDecision } from '../state/decided.js';
import { outOfDate } from '../state/feed.js';
import { decide, deciding, isOpen, shown } from '../state/run.js';
import { announcement, may, me, report } from '../state/session.js';

/** A request about a run, and what is said of it. Each can be sent again after a lost connection. */
export interface Work {
  /** While it is sent: `Rejecting`. */
  readonly doing: string;
  /** Afterwards, beside the run's title: `Rejected`. */
  readonly done: string;
  /** The run is done with for now: what was decided stays on the page, with the next run of the group. */
  readonly leaves?: true;
  /** `text`: what was written in the dialog. */
  readonly send: (run: Pick<RunSummary, 'run_id' | 'state'>, text: string) => Promise<unknown>;
  readonly undo?: Work;
}

/** What happens when an action is chosen. */
export interface Plan extends Work {
  /** Asked before it is sent. */
  readonly question?: Question;
  /** If core refuses it with this code: what is asked instead. `null`: the refusal is shown. */
  readonly refused?: { readonly code: string; readonly plan: (error: ApiError) => Promise<Plan | null> };
}

/** What an action with a dialog of its own may end in: `null` if it was cancelled. */
type Planned = Plan | null | Promise<Plan | null>;

/** The dialog of an action on many runs, in which it says what it does. */
export type QuestionOf = (says: VNode | string) => Question;

/** Something that a reviewer can do with a run. Buttons, shortcuts, their list, and the bar for many runs are made from it. */
export interface Action {
  /** A value of `KeyboardEvent.key`; a letter with Shift is `Shift+A`. */
  readonly key: string;
  readonly label: string | ((run: Run) => string);
  /** One line for the list of shortcuts. */
  readonly help: string;
  /** What the session needs in the run's project; `null`: it only reads. */
  readonly scope: (run: Pick<Run, 'state'>) => Scope | null;
  readonly offered: (run: Run) => boolean;
  /** Why it is not possible now, although it is offered; `null` if it is. */
  readonly whyNot?: () => string | null;
  /** Its key works at once, and not only after the page has been read: it decides nothing. */
  readonly harmless?: true;
  /** Where its button is; a key alone without it. */
  readonly place?: (run: Run) => Place | null;
  /** The chief action of the bar. */
  readonly primary?: true;
  readonly plan: (run: Run) => Planned;
  readonly many?: ManyAction;
}
type Place = 'bar' | 'turns' | 'investigation';

/** The action on all selected runs. */
export interface ManyAction {
  /** `Reject` */
  readonly label: string;
  /** What the session needs in the project of a run. */
  readonly scope: (run: Pick<Run, 'state'>) => Scope;
  readonly fits: (run: RunSummary) => boolean;
  readonly danger?: true;
  readonly plan: (question: QuestionOf) => Planned;
}

/** Why no decision at all is possible now; `null` if one is. */
export function whyNow(): string | null {
  if (outOfDate.value === null) return null;
  return `${outOfDate.value} Decisions are disabled until it is live again.`;
}

/** Why the reader's role does not include decisions that need this scope in a project, or in any; `null` if it does. */
export function whyNotIn(scope: Scope, project: string | undefined): string | null {
  if (me.value === null) return null;
  const somewhere = me.value.scopes.includes(scope);
  if (project === undefined ? somewhere : may(scope, project)) return null;
  const place = somewhere ? ` in the project ${visible(project ?? '')}` : '';
  return `Your role does not include this decision${place}. It needs the scope “${scope}”.`;
}

/** Why the action is not possible now on a run that it is offered for; `null` if it is. */
export function whyNot(action: Pick<Action, 'scope' | 'whyNot'>, run: Run): string | null {
  const scope = action.scope(run);
  if (scope === null) return null;
  return whyNow() ?? whyNotIn(scope, run.project) ?? action.whyNot?.() ?? null;
}

/** Begins the action on the run on the screen. Returns false if it does not apply, so that the browser handles the key. */
export function start(action: Action): boolean {
  const run = shown.value?.run ?? null;
  // The previous run stays on the screen until the next one has loaded; a key must not decide on it.
  if (run === null || !isOpen(run.run_id) || deciding.value !== null) return false;
  if (!action.offered(run) || whyNot(action, run) !== null) return false;
  Promise.resolve(action.plan(run))
    .then((plan) => (plan === null ? undefined : carryOut(run, plan)))
    .catch(report);
  return true;
}

/** `before`: core's refusal of the first plan, after which this one is asked. */
async function carryOut(run: Run, plan: Plan, before: ApiError | null = null): Promise<void> {
  const { question, doing, done, leaves = false, send, undo = null, refused } = plan;
  // The reviewer has gone on meanwhile: on another run's page, Enter would confirm a question that was not read.
  if (question !== undefined && (!isOpen(run.run_id) || isAsking())) {
    if (before !== null) report(before);
    return;
  }
  const answer = question === undefined ? '' : await ask(question);
  if (answer === null) return;
  const neighbours = neighboursOf(run.run_id);
  const refusals: ApiError[] = [];
  const sent = await decide(run.run_id, doing, async () => {
    try {
      await send(run, answer);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== refused?.code) throw error;
      refusals.push(error);
    }
  });
  const [refusal] = refusals;
  if (refusal !== undefined) {
    const next = (await refused?.plan(refusal)) ?? null;
    if (next === null) report(refusal);
    else await carryOut(run, next, refusal);
  } else if (sent && leaves) noteDecision({ run, words: done, undo, neighbours });
  else if (sent) announcement.value = `${done}: ${run.title}`;
}

/** The key as it is written on a button. */
export function keyCap(key: string): string {
  return key.replace('Shift+', '⇧').toUpperCase();
}

interface ActionButtonsProps {
  readonly actions: readonly Action[];
  readonly run: Run;
  readonly place: Place;
}

/** The buttons of the actions that are offered for a run at this place, the chief one last. */
export function ActionButtons({ actions, run, place }: ActionButtonsProps) {
  const offered = actions.filter((action) => action.place?.(run) === place && action.offered(run));
  if (offered.length === 0) return null;
  const ordered = [...offered.filter(({ primary }) => !primary), ...offered.filter(({ primary }) => primary)];
  return (
    <div class="actions">
      {ordered.map((action) => (
        <Button
          key={action.key}
          small={place !== 'bar'}
          {...(action.primary && { look: 'primary' })}
          disabled={whyNot(action, run) !== null}
          // The second click of a double click decides nothing.
          onClick={({ detail }) => void (detail < 2 && start(action))}
        >
          {typeof action.label === 'string' ? action.label : action.label(run)}{' '}
          <Key name={keyCap(action.key)} />
        </Button>
      ))}
    </div>
  );
}
