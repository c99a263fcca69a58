import type { Run } from '@culprit/core';
import {
  type Asked,
  FINDING_CHECKS,
  type FindingCheck,
  type Investigation,
  NO_EFFECT,
} from '@culprit/core/internal/domain/investigation';
import { QUESTION_PROBLEMS, type QuestionName } from '@culprit/core/internal/domain/question';
import { MECHANISM_CODES } from '@culprit/core/internal/domain/suspect';
import { likelihood, VERDICT_WORDS } from '@culprit/core/internal/domain/verdict';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { api } from '../api.js';
import { capital, percent, plural, span, whole } from '../format.js';
import { ICONS, Icon } from '../parts/icons.js';
import { Part } from '../parts/part.js';
import { Pill } from '../parts/pill.js';
import { Missing } from '../parts/resource.js';
import { Scroller } from '../parts/scroller.js';
import { Text } from '../parts/text.js';
import { type Resource, useResource } from '../parts/use-resource.js';
import { clock } from '../state/clock.js';
import { myName } from '../state/session.js';
import { ActionButtons } from './action.js';
import { ALL_ACTIONS } from './actions.js';
import { investigatorWords, unmeasured } from './investigator-words.js';

const STATES: Readonly<
  Record<
    Investigation['state'],
    { readonly words: string; readonly tone: 'blue' | 'violet' | 'amber' | 'grey' }
  >
> = {
  running: { words: 'running', tone: 'blue' },
  used: { words: 'used', tone: 'violet' },
  offered: { words: 'offered', tone: 'amber' },
  ended: { words: 'no effect', tone: 'grey' },
};

interface InvestigationProps {
  readonly run: Run;
  readonly investigation: Investigation;
}

/** Who investigates the cause of the crash, what was asked and answered, and what of the finding is checked. */
export function InvestigationSection({ run, investigation }: InvestigationProps) {
  const { run_id } = run;
  const open = useSignal(false);
  const { finding, questions, started_at } = investigation;
  const running = investigation.state === 'running';
  const wanted = running || open.value;
  const trail = useResource(
    async () => (wanted ? { started_at, ...(await api.getInvestigation({ run_id })) } : null),
    `${run_id} ${started_at} ${questions} ${wanted}`,
  );
  // The one of before stays until this one is here.
  const found = trail.found?.started_at === started_at ? trail.found : undefined;
  const asked = found?.asked;
  const { words, tone } = STATES[investigation.state];
  return (
    <Part
      id="investigation"
      title="Investigation"
      note={`by ${investigatorWords(investigation.by)}`}
      action={<ActionButtons actions={ALL_ACTIONS} run={run} place="investigation" />}
    >
      <p class="flow">
        <Pill tone={tone}>{words}</Pill>
        <span class="num">{figures(investigation)}</span>
        {running ? <Newest asked={asked} /> : <Text of={stateText(run, investigation)} />}
      </p>
      {finding !== null && <FindingView investigation={investigation} finding={finding} />}
      {questions > 0 && (
        <details
          open={open.value}
          onToggle={({ currentTarget }) => {
            open.value = currentTarget.open;
          }}
        >
          <summary>Questions and answers</summary>
          {found?.answers === false && <p class="soft">Your role shows the questions alone.</p>}
          {open.value && <Trail asked={asked} trail={trail} />}
        </details>
      )}
      <Ranking ranking={investigation.ranking} />
    </Part>
  );
}

/** `9 questions, 12 s, 48,210 tokens, cost 0.12` */
function figures({ questions, started_at, ended_at, tokens, cost }: Investigation): string {
  const ms = (ended_at === null ? clock.value : Date.parse(ended_at)) - Date.parse(started_at);
  return [
    plural(questions, 'question'),
    span(ms),
    tokens > 0 && plural(tokens, 'token'),
    cost !== null && `cost ${cost > 0 && cost < 0.01 ? '< 0.01' : cost.toFixed(2)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

function stateText({ draft }: Run, { state, reason, detail }: Investigation): string {
  if (state === 'used') return 'The suspects and the draft follow its finding.';
  const mine = reason === 'edited' && draft?.edited_by === myName();
  const why = mine
    ? 'You have edited the draft, so this finding is only offered.'
    : reason === null
      ? 'The suspects and the draft follow the ranking.'
      : (NO_EFFECT[reason] ?? reason);
  return detail === null ? why : `${why} ${detail}`;
}

/** What is asked now. */
function Newest({ asked }: { readonly asked: readonly Asked[] | undefined }) {
  const newest = asked?.at(-1);
  return (
    <span class="soft">
      {newest === undefined ? 'reads the crash' : <Text of={`asked for ${askedFor(newest)}`} />}
    </span>
  );
}

const ASKED_FOR: Readonly<Record<QuestionName, string>> = {
  read_source: 'the source of',
  list_folder: 'the folder',
  search_source: 'files with',
  search_history: 'commits with',
  show_commit: 'the commit',
  blame_lines: 'the blame of',
  show_crash: 'the crash',
  show_ranking: 'the ranking',
};
const SHA_DIGITS = 10;

/** A question and its input in short: `commits with “percentage” in src/cart.js since 2026-01-01` */
function askedFor({ question, input }: Pick<Asked, 'question' | 'input'>): string {
  const { text, path, from, to, sha, at, since, until } = input;
  const isText = typeof text === 'string';
  const lines = `${from === undefined ? '' : `:${from}`}${to === undefined ? '' : `–${to}`}`;
  const place = path === undefined ? '' : `${path === '' ? '/' : path}${lines}`;
  return [
    question === 'search_history' && !isText ? 'commits that changed' : ASKED_FOR[question],
    isText && `“${text}”${place === '' ? '' : ' in'}`,
    sha !== undefined && `${String(sha).slice(0, SHA_DIGITS)}${place === '' ? '' : ', only'}`,
    question === 'list_folder' && place === '' ? '/' : place,
    at !== undefined && `at ${String(at).slice(0, SHA_DIGITS)}`,
    since !== undefined && `since ${since}`,
    until !== undefined && `until ${until}`,
  ]
    .filter(Boolean)
    .join(' ');
}

interface TrailProps {
  readonly asked: readonly Asked[] | undefined;
  readonly trail: Resource<unknown>;
}

/** Every question with its answer, oldest first. */
function Trail({ asked, trail }: TrailProps) {
  if (asked === undefined) return <Missing {...trail} />;
  return (
    <ol class="trail" aria-label="Questions and answers">
      {asked.map((one) => (
        <li key={one.number}>
          <details>
            <summary>
              <span class="num">{one.number}</span> <Text of={capital(askedFor(one))} class="what" />{' '}
              {one.problem !== null && <Pill tone="amber">no answer</Pill>}
              <span class="num"> · {span(one.ms)}</span>
            </summary>
            {one.problem !== null && <p class="soft">{QUESTION_PROBLEMS[one.problem] ?? one.problem}</p>}
            {one.text !== '' && (
              <Scroller class="json" label={`Answer ${one.number}, text from outside`}>
                <Text as="pre" of={one.text} />
              </Scroller>
            )}
            {one.more && <p class="soft">There is more than the limits allow.</p>}
          </details>
        </li>
      ))}
    </ol>
  );
}

interface FindingProps {
  readonly investigation: Investigation;
  readonly finding: NonNullable<Investigation['finding']>;
}

/** What the investigator only states, beside what core has checked. */
function FindingView({ investigation, finding }: FindingProps) {
  const { by, checks, probability, measured } = investigation;
  const { commits, mechanism, place, quote } = finding;
  const [first = '', ...others] = commits;
  return (
    <div class="finding">
      <div>
        <h4>Stated by the {by.kind}, not checked</h4>
        <ul class="stack by-model">
          <Stated name="Cause">
            <Text as="code" of={first.slice(0, SHA_DIGITS)} />
            {others.length > 0 && ` and ${whole(others.length)} less likely`}
          </Stated>
          <Stated name="Mechanism">
            <Text as="q" of={isCode(mechanism) ? mechanism.replaceAll('_', ' ') : mechanism} />
          </Stated>
          <Stated name="Made at">
            <Text as="code" of={`${place.path}:${place.line}`} />
          </Stated>
          <Stated name="Probability">
            {percent(finding.probability)}, {percent(finding.none_probability)} that no commit of this
            repository is to blame
          </Stated>
        </ul>
      </div>
      <div>
        <h4>Checked by Culprit</h4>
        <ul class="checks">
          {(Object.keys(FINDING_CHECKS) as FindingCheck[]).map((code) => (
            <Checked
              key={code}
              code={code}
              check={checks.find((one) => one.code === code)}
              quote={code === 'quote_in_diff' ? quote : null}
            />
          ))}
        </ul>
        {probability !== null && (
          <p class="soft">
            Culprit rates the first commit {percent(probability)}
            {measured ? '.' : `, ${unmeasured(by)}.`}
          </p>
        )}
      </div>
    </div>
  );
}

function isCode(mechanism: string): boolean {
  return (MECHANISM_CODES as readonly string[]).includes(mechanism);
}

function Stated({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <li>
      <span class="soft">{name}</span> {children}
    </li>
  );
}

interface CheckedProps {
  readonly code: FindingCheck;
  /** Absent: it was not checked. */
  readonly check: Investigation['checks'][number] | undefined;
  /** The line that is looked for. */
  readonly quote: string | null;
}

function Checked({ code, check, quote }: CheckedProps) {
  const detail = check?.detail ?? null;
  const words = check === undefined ? 'not checked' : check.ok ? 'passed' : 'failed';
  return (
    <li data-ok={check?.ok ? '' : undefined} data-check={words}>
      <span class="mark">
        {check !== undefined && <Icon path={check.ok ? ICONS.check : ICONS.cross} size={13} />}
        {check?.ok && <span class="sr">{words}: </span>}
      </span>
      <span>
        {FINDING_CHECKS[code]}
        {check?.ok !== true && <b> · {words}</b>}
        {quote !== null && ': '}
        {quote !== null && <Text as="code" of={quote} />}{' '}
        {detail !== null && detail !== quote && <Text of={detail} class="soft" />}
      </span>
    </li>
  );
}

/** The ranking's own order, which a finding has replaced. */
function Ranking({ ranking }: Pick<Investigation, 'ranking'>) {
  if (ranking.length === 0) return null;
  return (
    <details>
      <summary>The ranking’s order</summary>
      <ol class="trail">
        {ranking.map(({ sha, title, probability, verdict }) => (
          <li key={sha} class="flow">
            {probability !== null && <b class="num">{likelihood({ probability })}</b>}
            <span class="soft">{VERDICT_WORDS[verdict]}</span>
            <code>{sha.slice(0, SHA_DIGITS)}</code>
            <Text of={title} class="what" />
          </li>
        ))}
      </ol>
    </details>
  );
}
