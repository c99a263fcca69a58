import type { RawDelivery, Verification } from '@culprit/core/connector';
import { findCredential, fingerprintOf } from '../shared/credentials.js';
import type { SentryConfig } from './config.js';
import { peekHeader } from './envelope.js';

/**
 * Checks the public key, then the project. The path's project must be the key's project. SDKs require digits there, so any
 * number is accepted, unless it names a project or the key's project itself has a numeric name.
 */
export function keyVerifier(config: SentryConfig): (delivery: RawDelivery) => Verification {
  const keys = config.keys.map(({ project, key }, index) => ({
    project,
    credential: `${project}/key-${index + 1}`,
    fingerprint: fingerprintOf(key),
  }));
  const names = new Set(keys.map(({ project }) => project));
  const allows = (project: string, segment: string) =>
    segment === project || (/^\d{1,20}$/.test(segment) && !names.has(segment) && !/^\d+$/.test(project));

  const tunnels = new Set(config.tunnels);
  return (delivery) => {
    const auth = readAuth(delivery, isEnvelope(delivery));
    if (!auth.ok) return auth;
    if (isTunnel(delivery) && (auth.dsn === null || !tunnels.has(auth.dsn.target))) {
      return refuse(403, 'the envelope’s dsn is not an allowed tunnel');
    }
    const found = findCredential(keys, auth.key);
    if (found === null) {
      return refuse(401, 'unknown public key; check the DSN');
    }
    const segment = delivery.params.project;
    if (auth.dsn !== null && segment !== undefined && auth.dsn.project !== segment) {
      return refuse(400, 'project id header mismatch: the envelope’s dsn has another project');
    }
    const named = segment ?? auth.dsn?.project;
    if (named !== undefined && !allows(found.project, named)) {
      return refuse(403, 'event submission rejected with_reason: ProjectId');
    }
    return { ok: true, project: found.project, credential: found.credential, trust: 'untrusted' };
  };
}

/** The protocol version of all SDKs since 2014. */
const PROTOCOL = 7;

interface Dsn {
  readonly key: string;
  readonly project: string;
  /** `host[:port]/project` in lower case, as the tunnel allow-list names it. */
  readonly target: string;
}

/** `{proto}://{public}[:{secret}]@{host}[:port]{path}/{project}`; the last path segment is the project. */
function parseDsn(value: unknown): Dsn | null {
  if (typeof value !== 'string' || value.length > 2048) return null;
  const match = /^https?:\/\/([^:@/\s]+)(?::[^@/\s]*)?@([^/@\s]+)\/(?:[^?#\s]*\/)?([^/?#\s]+)\/?$/i.exec(
    value,
  );
  if (!match) return null;
  const [key = '', host = '', project = ''] = match.slice(1);
  return { key, project, target: `${host}/${project}`.toLowerCase() };
}

interface Presented {
  readonly keys: readonly string[];
  readonly version: string | undefined;
}

/** Parses `Sentry sentry_version=7, sentry_key=…`: comma-separated pairs; unknown ones are ignored. */
function readAuthHeader(header: string | undefined): Presented {
  if (header === undefined || !/^sentry\s/i.test(header)) return { keys: [], version: undefined };
  const keys: string[] = [];
  let version: string | undefined;
  for (const part of header.split(',')) {
    const pair = part.trim().replace(/^sentry\s+/i, '');
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, at)).trim().toLowerCase();
    const value = pair.slice(at + 1).trim();
    if (name === 'sentry_key') keys.push(value);
    if (name === 'sentry_version') version = value;
  }
  return { keys, version };
}

type Auth = { readonly ok: true; readonly key: string; readonly dsn: Dsn | null } | Refusal;

interface Refusal {
  readonly ok: false;
  readonly status: 400 | 401 | 403;
  readonly reason: string;
}

function refuse(status: Refusal['status'], reason: string): Refusal {
  return { ok: false, status, reason };
}

/** The public key that a delivery presents in any of its places. Several places may agree. */
function readAuth(delivery: RawDelivery, envelope: boolean): Auth {
  const { headers, query, body } = delivery;
  const all = [readAuthHeader(headers['x-sentry-auth']), readAuthHeader(headers.authorization)];
  const keys = [...all.flatMap((presented) => presented.keys), query.sentry_key ?? ''].filter(
    (key) => key !== '',
  );
  const versions = [...all.map(({ version }) => version), query.sentry_version];
  if (
    versions.some((version) => version !== undefined && /^\d+$/.test(version) && Number(version) > PROTOCOL)
  ) {
    return refuse(400, `unsupported protocol version; use sentry_version ${PROTOCOL}`);
  }
  if (new Set(keys).size > 1) {
    return refuse(401, 'multiple authorization payloads detected');
  }
  const header = envelope ? peekHeader(body) : null;
  const given = header !== null && Object.hasOwn(header, 'dsn') ? header.dsn : null;
  const dsn = parseDsn(given);
  const key = keys[0] ?? dsn?.key;
  if (key === undefined) {
    const reason =
      given === null || given === undefined
        ? 'missing authorization information'
        : 'bad envelope authentication header';
    return refuse(401, reason);
  }
  if (dsn !== null && dsn.key !== key) {
    return refuse(400, 'public key header mismatch: the envelope’s dsn has another key');
  }
  return { ok: true, key, dsn };
}

/** The tunnel's path contains neither project nor key: both are in the envelope's `dsn`. */
const isTunnel = ({ path }: RawDelivery): boolean => /^\/tunnel\/*$/.test(path);

/** False only for a plain JSON event at the legacy `/store/` endpoint. Other endpoints ignore the content type. */
export function isEnvelope({ path, headers }: Pick<RawDelivery, 'path' | 'headers'>): boolean {
  if (!/\/store\/*$/.test(path)) return true;
  return /^\s*application\/x-sentry-envelope\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}
