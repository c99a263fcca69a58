/** The part of Prism that the board uses. */
declare module 'prismjs/components/prism-core.js' {
  const Prism: {
    readonly languages: Readonly<Record<string, object | undefined>>;
    tokenize(text: string, grammar: object): readonly import('./prism-token.js').PrismContent[];
  };
  export = Prism;
}
declare module 'prismjs/components/prism-*.js' {}
