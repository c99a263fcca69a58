/** Several systems behind one port. Must give the same one for a repository every time; one that nobody has gets one that rejects. */
export interface Systems<Port> {
  of(repository: string): Port;
}
