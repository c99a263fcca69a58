export { connectLive, type LiveClient, type LiveClientOptions } from './connect-live.js';
export type { ConnectionState, LiveEvents, LiveReason } from './events.js';
export {
  BEAT_MS,
  type BeatMessage,
  type EdgeFigures,
  type GuardMessage,
  LIVE_CLOSE,
  LIVE_VERSION,
  type LiveMessage,
  OPEN_STATES,
  type ProgressMessage,
  type RunMessage,
  type SnapshotMessage,
} from './messages.js';
export type { LiveSocket, LiveSocketClass } from './socket.js';
