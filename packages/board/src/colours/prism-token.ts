/** What Prism makes of a text: parts, some of them with a type and parts of their own. */
export type PrismContent = string | PrismToken | readonly PrismContent[];
export interface PrismToken {
  readonly type: string;
  readonly content: PrismContent;
}
