/** Sent by a server to its supervisor once it listens. */
export interface ReadyMessage {
  readonly type: 'ready';
  readonly port: number;
  readonly url: string;
}

/** Notifies the supervisor, if there is one. */
export function announceReady(message: Omit<ReadyMessage, 'type'>): void {
  process.send?.({ type: 'ready', ...message } satisfies ReadyMessage);
}

export function isReadyMessage(message: unknown): message is ReadyMessage {
  if (typeof message !== 'object' || message === null) return false;
  const { type, port, url } = message as Partial<ReadyMessage>;
  return type === 'ready' && typeof port === 'number' && typeof url === 'string';
}
