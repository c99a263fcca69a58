import { ApiError, api } from './api.js';
import { h } from './dom.js';

/** The form that trades a reviewer token for the session cookie. */
export function signInForm(done: (name: string) => void): HTMLElement {
  const token = h('input', {
    type: 'password',
    id: 'token',
    name: 'token',
    required: '',
    autocomplete: 'current-password',
    spellcheck: 'false',
  });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const submit = h('button', { type: 'submit', class: 'button primary' }, 'Sign in');
  const form = h(
    'form',
    { class: 'sign-in' },
    h('h2', {}, 'Sign in to review'),
    h('p', {}, 'Crashes wait here for a person. Your token says who opened a gate.'),
    h('label', { for: 'token' }, 'Reviewer token'),
    token,
    problem,
    submit,
    h(
      'p',
      { class: 'hint' },
      'It is one of ',
      h('code', {}, 'REVIEWER_TOKENS'),
      '. Without any, Culprit made one: ',
      h('code', {}, 'reviewerToken'),
      ' in ',
      h('code', {}, 'secrets.json'),
      ' of the data directory.',
    ),
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    submit.disabled = true;
    problem.textContent = '';
    try {
      const { name } = await api.signIn(token.value.trim());
      done(name);
    } catch (error) {
      problem.textContent = error instanceof ApiError ? error.message : String(error);
      submit.disabled = false;
      token.select();
    }
  });
  queueMicrotask(() => token.focus());
  return form;
}
