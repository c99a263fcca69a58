import './styles/tokens.css';
import './styles/base.css';
import './styles/inbox.css';
import './styles/run.css';
import './styles/stack.css';
import './styles/evidence.css';
import './styles/draft.css';
import './styles/pages.css';
// Both take what is theirs out of the address before the inbox reads it.
import './state/sign-in-link.js';
import './state/sign-in-problem.js';
import { render } from 'preact';
import { App } from './app.js';
import { askWho } from './state/session.js';

const place = document.getElementById('board');
if (place !== null) render(<App />, place);
void askWho();
