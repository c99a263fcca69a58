import { isCulpritError } from '@culprit/core/connector';
import { type Finding, findingSchema } from '@culprit/core/internal/domain/investigation';
import {
  type Answer,
  QUESTION_PROBLEMS,
  QUESTIONS,
  type QuestionName,
} from '@culprit/core/internal/domain/question';
import type { Desk } from '@culprit/core/internal/ports/investigator';
import * as v from 'valibot';
import type { Message, ModelAnswer, ToolCall } from './client.js';
import { type DeskModel, giveUp } from './desk-model.js';
import * as text from './prompt/investigate-v1.js';
import { bytes, fenced, fenceWord } from './prompt/render-prompt.js';
import { argumentsOf, callId, FINDING, toolsOf } from './tools.js';

/** Consecutive turns that lead nowhere, after which it ends. */
const CHANCES = 3;
/** Bytes of a conversation. What exceeds them is cut from the oldest answers: every turn sends all of it again. */
const MOST_BYTES = { usual: 60_000, last: 24_000 } as const;
/** Characters that are left of a shortened answer. */
const KEPT = 800;

/**
 * The model asks its own questions, then hands in a finding. `null`: the server or its model calls no tools. What is left of the questions
 * and of the time, and whether more calls are allowed, is the desk's to say: at a limit, one last and shorter call asks for the finding.
 */
export async function investigateLoop(desk: Desk, model: DeskModel): Promise<Finding | null> {
  const messages = opening(desk);
  const questions = desk.questions.filter((name) => !GIVEN.has(name));
  const tools = toolsOf(questions);
  let chances = CHANCES;
  let isLast = false;
  let called = false;
  let longestMs = 0;
  const close = () => {
    isLast = true;
    append(messages, text.LAST);
  };
  const next = async (): Promise<ModelAnswer | null> => {
    // There may be time for one more call, but not for two.
    if (!isLast && messages.length > OPENING && (desk.msLeft?.() ?? Infinity) < 2 * longestMs) close();
    const started = performance.now();
    const forced = isLast || desk.left() <= 0;
    const sent = withinBytes(messages, isLast ? MOST_BYTES.last : MOST_BYTES.usual);
    try {
      return await model.converse({
        messages: sent,
        tools: forced ? [FINDING] : [...tools, FINDING],
        forced,
      });
    } catch (error) {
      // A limit, a full context or a failed server: one more call, as short as can be.
      if (isLast || messages.length <= OPENING || !isFailure(error)) throw error;
      close();
      return next();
    } finally {
      longestMs = Math.max(longestMs, performance.now() - started);
    }
  };
  for (;;) {
    const turn = await next();
    if (turn === null) {
      if (!called) return null;
      throw giveUp('it no longer calls tools');
    }
    const { content, calls, message, cut } = turn;
    called ||= calls.length > 0;
    const written = calls.length === 0 ? findingIn(content) : null;
    if (written !== null) return written;
    const answered: Message[] = [];
    let isUseful = false;
    for (const call of calls) {
      const outcome = await answerTo(call, desk, { questions, isLast });
      if ('finding' in outcome) return outcome.finding;
      isUseful ||= outcome.asked;
      answered.push({ role: 'tool', call, content: outcome.content });
    }
    if (calls.length > 0 || content.trim() !== '')
      messages.push({ role: 'assistant', content, calls, message }, ...answered);
    if (calls.length === 0) remind(messages, cut ? text.CUT : text.CALL);
    append(messages, text.LEFT(isLast ? 0 : desk.left()));
    chances = isUseful ? CHANCES : chances - 1;
    if (chances > 0) continue;
    if (!called) return null;
    throw giveUp('it hands in no finding');
  }
}

/** The opening has these answers. */
const GIVEN: ReadonlySet<QuestionName> = new Set(['show_crash', 'show_ranking']);
/** Messages before the first turn. */
const OPENING = 2;

/** The rules, the crash and the ranking; then what was asked before core was restarted. */
function opening(desk: Desk): Message[] {
  const shown = [
    ['crash', desk.crash],
    ['ranking', desk.ranking],
  ] as const;
  const word = fenceWord(shown);
  // Another run on the same crash reads them in the other order.
  const ordered = desk.round % 2 === 0 ? shown : shown.toReversed();
  const blocks = ordered.map(([title, content]) => fenced(word, title, content));
  const messages: Message[] = [
    { role: 'system', content: text.SYSTEM },
    { role: 'user', content: [text.QUESTION, ...blocks, text.LEFT(desk.left())].join('\n\n') },
  ];
  const before = desk.asked().map((one) => {
    const id = callId(`${one.number} ${one.question}`);
    const call = { id, name: one.question, arguments: JSON.stringify(one.input) };
    return { role: 'tool' as const, call, content: shownAnswer(one) };
  });
  if (before.length === 0) return messages;
  const calls = before.map(({ call }) => call);
  messages.push({ role: 'assistant', content: '', calls, message: null }, ...before);
  append(messages, text.LEFT(desk.left()));
  return messages;
}

type Outcome =
  | { readonly finding: Finding }
  /** `asked`: the desk has answered. */
  | { readonly content: string; readonly asked: boolean };

async function answerTo(
  call: ToolCall,
  desk: Desk,
  { questions, isLast }: { readonly questions: readonly QuestionName[]; readonly isLast: boolean },
): Promise<Outcome> {
  const given = argumentsOf(call.arguments);
  if (given === null) return { content: text.NOT_JSON, asked: false };
  if (call.name === FINDING.name) {
    const parsed = v.safeParse(findingSchema, given);
    return parsed.success ? { finding: parsed.output } : { content: refusal(parsed.issues), asked: false };
  }
  const name = questions.find((one) => one === call.name);
  if (name === undefined) return { content: text.UNKNOWN_TOOL, asked: false };
  const checked = v.safeParse(QUESTIONS[name].input, given);
  if (!checked.success) return { content: refusal(checked.issues), asked: false };
  if (isLast || desk.left() <= 0) return { content: QUESTION_PROBLEMS.limit, asked: false };
  return { content: shownAnswer(await desk.ask({ name, input: given })), asked: true };
}

/** Why a schema refuses what the model wrote, in its words. */
export function refusal(issues: readonly v.BaseIssue<unknown>[]): string {
  const reasons = issues.map((issue) => `${v.getDotPath(issue) ?? 'it'}: ${issue.message}`);
  return `${text.REFUSED} ${reasons.join('; ').slice(0, KEPT)}`;
}

/** An answer, fenced, with what is wrong with it. */
export function shownAnswer({ text: answer, more, problem }: Answer): string {
  if (problem !== null) return QUESTION_PROBLEMS[problem];
  return `${fenced(fenceWord(answer), 'answer', answer)}${more ? `\n${text.MORE}` : ''}`;
}

function remind(messages: Message[], content: string): void {
  if (messages.at(-1)?.role === 'assistant') messages.push({ role: 'user', content });
  else append(messages, content);
}

/** Adds to the last message: a server may allow none between the answers of tools and the model's next turn. */
function append(messages: Message[], line: string): void {
  const last = messages.pop();
  if (last !== undefined) messages.push({ ...last, content: `${last.content}\n\n${line}` });
}

/** A finding that the model wrote instead of handing it in. */
function findingIn(content: string): Finding | null {
  const parsed = v.safeParse(findingSchema, argumentsOf(content));
  return parsed.success ? parsed.output : null;
}

/** The conversation with its oldest answers shortened, as far as needed. */
function withinBytes(messages: readonly Message[], most: number): readonly Message[] {
  let over = bytes(messages.map(({ content }) => content).join('')) - most;
  return messages.map((message) => {
    if (message.role !== 'tool' || over <= 0 || message.content.length <= KEPT) return message;
    const word = /^BEGIN (\w+)/.exec(message.content)?.[1];
    const end = word === undefined ? '' : `\nEND ${word}`;
    const content = `${message.content.slice(0, KEPT)}${end}\n${text.SHORTENED}`;
    over -= bytes(message.content) - bytes(content);
    return { ...message, content };
  });
}

/** A limit that does not allow the call, or a server that failed; not an abort. */
function isFailure(error: unknown): boolean {
  return isCulpritError(error, 'investigation_limit') || isCulpritError(error, 'explainer_failed');
}
