import './prism-manual.js';
import Prism from 'prismjs/components/prism-core.js';

/** Prism's grammars add themselves to a global. */
(globalThis as { Prism?: unknown }).Prism = Prism;

export { Prism };
