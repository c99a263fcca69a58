/** The name of a port at run time, by which an engine's container finds the implementation. Each has the name of its interface. */
export type Port<T> = symbol & { readonly implementation?: T };
