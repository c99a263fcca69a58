import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { continues, renderTurn, textOf } from './render.mjs';

/** Characters of a token, about as tokenizers of current models cut source code and English. */
const TOKEN_CHARS = 3.6;
const LOOK_MS = 250;
/** A file that has not changed for this long is complete. */
const STILL_MS = 1_500;
const MAX_CALLS = 16;
const NOTHING = { turns: 0, input: 0, output: 0, longest: 0, ms: 0 };

/**
 * Where a person, or a model by files, sits as the model. Each request becomes `DIR/CASE/001.request.json` (exactly what a model would
 * get) and `001.request.txt` (what is new since the turn before), and is answered by `001.answer.json`:
 * `{"calls": [{"name", "arguments"}]}` or `{"content"}`. `DIR/open.txt` lists the requests that wait, oldest first. A case's second
 * conversation is for another reader, who has not seen the first. A request that is equal to a stored one gets its stored answer, so a
 * bench that was ended continues where it was.
 */
export function createDesk(dir) {
  const cases = new Map();
  const open = new Map();
  mkdirSync(dir, { recursive: true });
  const list = () =>
    writeWhole(
      join(dir, 'open.txt'),
      [...open].map(([name, about]) => `${name}.request.txt  ${about}\n`).join(''),
    );
  list();
  return {
    /** What is counted of a case: turns, tokens as they would be billed, and milliseconds in which it waited here. */
    counted: (id) => cases.get(id)?.counted ?? NOTHING,
    /** The completion for a request's exact text. */
    async answer(id, text, signal) {
      const one = cases.get(id) ?? { counted: { ...NOTHING }, conversation: 1, last: null };
      cases.set(id, one);
      const { counted } = one;
      counted.turns += 1;
      const { turns } = counted;
      const started = performance.now();
      const body = JSON.parse(text);
      if (one.last !== null && !continues(one.last, body)) {
        one.conversation += 1;
        one.last = null;
      }
      const name = `${id}/${String(turns).padStart(3, '0')}`;
      const base = join(dir, name);
      const input = tokensOf(promptOf(body));
      const about = `conversation ${one.conversation}, about ${input} tokens`;
      mkdirSync(join(dir, id), { recursive: true });
      if (existsSync(`${base}.request.json`) && readFileSync(`${base}.request.json`, 'utf8') !== text)
        setAside(join(dir, id), turns);
      writeWhole(`${base}.request.json`, text);
      writeWhole(`${base}.request.txt`, renderTurn({ heading: `${name}, ${about}`, body, last: one.last }));
      one.last = body;
      try {
        open.set(name, `${about}, since ${new Date().toISOString().slice(11, 19)}`);
        const answer = await written(base, body, list, signal);
        const output = tokensOf(`${answer.content ?? ''}${JSON.stringify(answer.calls ?? '')}`);
        counted.input += input;
        counted.output += output;
        counted.longest = Math.max(counted.longest, input + output);
        return completionOf(body, answer, turns, { input, output });
      } finally {
        open.delete(name);
        list();
        counted.ms += performance.now() - started;
      }
    },
  };
}

/** A `fetch` of one case whose model server is the desk. Nothing of the request says which case it is. */
export function deskFetch(desk, id) {
  return async (url, { body, signal } = {}) => {
    if (String(url).endsWith('/models')) return Response.json({ data: [{ id: 'desk' }] });
    return Response.json(await desk.answer(id, body, signal ?? new AbortController().signal));
  };
}

/** The answer file, once it is there and valid. An invalid one is set aside, and a file says what is wrong with it. */
async function written(base, body, onWait, signal) {
  const file = `${base}.answer.json`;
  for (let turn = 0; ; turn++) {
    signal.throwIfAborted();
    if (existsSync(file)) {
      const { answer, problem } = read(file, body);
      if (answer !== undefined) {
        rmSync(`${base}.problem.txt`, { force: true });
        return answer;
      }
      if (Date.now() - statSync(file).mtimeMs > STILL_MS) {
        renameSync(file, `${base}.refused.json`);
        writeWhole(`${base}.problem.txt`, `${problem}\nWrite ${file} again.\n`);
      }
    }
    if (turn === 0) onWait();
    await sleep(LOOK_MS, undefined, { signal });
  }
}

function read(file, body) {
  let answer;
  try {
    answer = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    return { problem: `The file is not JSON: ${error.message}` };
  }
  const problem = problemOf(answer, body);
  return problem === null ? { answer } : { problem };
}

/** Only the form: what a model could also say is for the product to judge. */
function problemOf(answer, { tools = [], max_tokens, max_completion_tokens }) {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    return 'The answer is not an object.';
  const { calls, content, ...others } = answer;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return `Unknown member "${unknown}": an answer has "calls" or "content".`;
  const most = max_tokens ?? max_completion_tokens ?? Number.POSITIVE_INFINITY;
  if (tokensOf(JSON.stringify(answer)) > most) return `The answer is longer than ${most} tokens.`;
  if (content !== undefined && typeof content !== 'string') return '"content" is not a text.';
  if (calls === undefined) return content?.trim() ? null : 'The answer has neither "calls" nor "content".';
  if (!Array.isArray(calls) || calls.length === 0 || calls.length > MAX_CALLS)
    return `"calls" is not a list of 1 to ${MAX_CALLS} calls.`;
  const names = tools.map((tool) => tool.function.name);
  for (const call of calls) {
    if (!names.includes(call?.name))
      return `There is no tool "${call?.name}". Tools: ${names.join(', ') || 'none'}.`;
    const given = call.arguments ?? {};
    if (typeof given !== 'object' || Array.isArray(given))
      return `"arguments" of ${call.name} is not an object.`;
  }
  return null;
}

/** `cut`: the token limit ended the answer. */
export function completionOf(body, { content = null, calls, cut = false }, turn, { input, output }) {
  const tool_calls = calls?.map(({ name, arguments: given = {} }, index) => ({
    id: `call_${turn}_${index + 1}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }));
  return {
    id: `desk_${turn}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1_000),
    model: body.model,
    choices: [
      {
        index: 0,
        finish_reason: cut ? 'length' : tool_calls ? 'tool_calls' : 'stop',
        message: { role: 'assistant', content, ...(tool_calls ? { tool_calls } : {}) },
      },
    ],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  };
}

/** Everything that a model reads of a request. */
function promptOf({ messages, tools = [], response_format = null }) {
  const said = messages.map(
    ({ content, tool_calls }) => `${textOf(content)}${tool_calls ? JSON.stringify(tool_calls) : ''}`,
  );
  return [
    ...said,
    ...(tools.length > 0 ? [JSON.stringify(tools)] : []),
    response_format ? JSON.stringify(response_format) : '',
  ].join('\n');
}

export const tokensOf = (text) => Math.ceil(text.length / TOKEN_CHARS);

/** The files of this turn and of later ones belong to another conversation. */
function setAside(folder, from) {
  const names = readdirSync(folder).filter((name) => Number.parseInt(name, 10) >= from);
  const earlier = join(folder, `earlier-${Date.now()}`);
  mkdirSync(earlier);
  for (const name of names) renameSync(join(folder, name), join(earlier, name));
}

/** A reader never sees half a file. */
function writeWhole(file, text) {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
