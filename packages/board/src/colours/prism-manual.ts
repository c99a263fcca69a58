/** Evaluated before Prism, which would else search the page for code and set its HTML. */
(globalThis as { Prism?: unknown }).Prism = { manual: true };

export {};
