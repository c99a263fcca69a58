/** Sent by a server to its supervisor once it listens. */
export interface ReadyMessage {
  readonly type: 'ready';
  readonly port: number;
  readonly url: string;
  /** What serves HTTP, and why it is not the faster one. */
  readonly servedBy: string;
}

/** Sent by `culprit up` to the program that started it, once both servers listen. */
export interface UpMessage {
  readonly type: 'up';
  readonly edgeUrl: string;
  readonly coreUrl: string;
  readonly servedBy: string;
}

/** Whether another program of ours started this process, such as `culprit up` its servers. It may have ended since. */
export const isSupervised = (): boolean => process.send !== undefined;

/** Notifies the supervisor, if there is one. */
export function announceReady(message: Omit<ReadyMessage, 'type'>): void {
  if (process.connected) process.send?.({ type: 'ready', ...message } satisfies ReadyMessage);
}

/** Notifies the program that started `culprit up`, if it listens. */
export function announceUp(message: Omit<UpMessage, 'type'>): void {
  if (process.connected) process.send?.({ type: 'up', ...message } satisfies UpMessage);
}

export function isReadyMessage(message: unknown): message is ReadyMessage {
  if (typeof message !== 'object' || message === null) return false;
  const { type, port, url, servedBy } = message as Partial<ReadyMessage>;
  return (
    type === 'ready' && typeof port === 'number' && typeof url === 'string' && typeof servedBy === 'string'
  );
}

export function isUpMessage(message: unknown): message is UpMessage {
  if (typeof message !== 'object' || message === null) return false;
  const { type, edgeUrl, coreUrl } = message as Partial<UpMessage>;
  return type === 'up' && typeof edgeUrl === 'string' && typeof coreUrl === 'string';
}
