import { createHash, verify } from 'node:crypto';
import type { DoubleRequest } from '../shared/server.js';
import type { DoubleApp, LiveOptions } from './options.js';
import { POLICIES } from './policies.js';
import { type Answer, refuse, type World } from './rest/request.js';
import { user, zulu } from './rest/shapes.js';

/** Life of an installation token (RULES.md, apps). */
const TOKEN_MS = 60 * 60_000;
/** An assertion may live ten minutes, and be this early by its issuer's clock. */
const JWT_SECONDS = 600;
const EARLY_SECONDS = 60;

const INSTALLATION = /^\/repos\/([^/]+)\/([^/]+)\/installation$/;
const TOKENS = /^\/app\/installations\/(\d+)\/access_tokens$/;

interface Claims {
  readonly iss?: unknown;
  readonly iat?: unknown;
  readonly exp?: unknown;
}

/** The response to an App that authenticates with its own JWT; `null` for any other request. */
export function asApp(
  world: World,
  { method, path, headers, base }: DoubleRequest,
): { readonly route: string; readonly answer: Answer } | null {
  const { options } = world;
  const installation = method === 'GET' ? INSTALLATION.exec(path) : null;
  const tokens = method === 'POST' ? TOKENS.exec(path) : null;
  if (installation === null && tokens === null) return null;
  const found = appOf(options, headers.authorization, world.state.now());
  if ('status' in found) return { route: '', answer: found };
  const { id, app } = found;
  if (installation !== null) {
    const name = `${installation[1]}/${installation[2]}`;
    const route = 'GET /repos/{owner}/{repo}/installation';
    if (!isInstalled(options, app, name)) return { route: '', answer: refuse(404, 'Not Found') };
    return {
      route,
      answer: { status: 200, body: installationShape(id, app, name, base, world.state.now()) },
    };
  }
  const owner = ownersOf(options, app).find((one) => installationId(id, one) === Number(tokens?.[1]));
  if (owner === undefined) return { route: '', answer: refuse(404, 'Not Found') };
  if (app.suspended) return { route: '', answer: refuse(403, POLICIES.suspended) };
  const route = 'POST /app/installations/{installation_id}/access_tokens';
  return { route, answer: { status: 201, body: issue(world, app, owner) } };
}

function appOf(
  options: LiveOptions,
  authorization: string | undefined,
  now: number,
): { readonly id: string; readonly app: DoubleApp } | Answer {
  const [, head = '', payload = '', signature = ''] =
    /^bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/i.exec(authorization ?? '') ?? [];
  const { alg } = decoded<{ alg?: unknown }>(head);
  const { iss, iat, exp } = decoded<Claims>(payload);
  if (alg !== 'RS256') return refuse(401, 'A JSON web token could not be decoded');
  const id = String(iss);
  const app = options.apps?.[id];
  if (app === undefined) return refuse(404, 'Integration not found');
  const signed = Buffer.from(`${head}.${payload}`);
  if (!verify('RSA-SHA256', signed, app.publicKey, Buffer.from(signature, 'base64url')))
    return refuse(401, 'A JSON web token could not be decoded');
  const seconds = now / 1_000;
  if (typeof exp !== 'number' || exp <= seconds)
    return refuse(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  if (exp > seconds + JWT_SECONDS + EARLY_SECONDS)
    return refuse(401, "'Expiration time' claim ('exp') is too far in the future");
  if (typeof iat !== 'number' || iat > seconds + EARLY_SECONDS)
    return refuse(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  return { id, app };
}

function decoded<Shape extends object>(part: string): Partial<Shape> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Shape;
  } catch {
    return {};
  }
}

function isInstalled({ repositories }: LiveOptions, app: DoubleApp, name: string): boolean {
  const known = Object.keys(repositories).find((one) => one.toLowerCase() === name.toLowerCase());
  return known !== undefined && (app.repositories?.includes(known) ?? true);
}

function ownersOf({ repositories }: LiveOptions, app: DoubleApp): readonly string[] {
  const names = app.repositories ?? Object.keys(repositories);
  return [...new Set(names.map((name) => name.split('/')[0] ?? ''))];
}

/** One installation for each account. */
function installationId(app: string, owner: string): number {
  const digest = createHash('sha256').update(`${app} ${owner.toLowerCase()}`).digest();
  return digest.readUInt32BE(0);
}

function issue({ state, options }: World, app: DoubleApp, owner: string): object {
  const now = state.now();
  const expiresAt = now + (app.tokenMs ?? TOKEN_MS);
  const count = Object.keys(options.tokens).length;
  const token = `ghs_${createHash('sha256').update(`${app.slug} ${owner} ${count}`).digest('hex').slice(0, 36)}`;
  const within = Object.keys(options.repositories).filter((name) => name.startsWith(`${owner}/`));
  options.tokens[token] = {
    user: `${app.slug}[bot]`,
    app: true,
    permissions: app.permissions,
    repositories: within.filter((name) => app.repositories?.includes(name) ?? true),
    expiresAt,
  };
  return {
    token,
    expires_at: zulu(expiresAt),
    permissions: app.permissions,
    repository_selection: 'selected',
  };
}

function installationShape(id: string, app: DoubleApp, name: string, base: string, now: number): object {
  const [owner = ''] = name.split('/');
  const number = installationId(id, owner);
  const api = `${base}/app/installations/${number}`;
  return {
    id: number,
    account: user(owner, base),
    repository_selection: 'selected',
    access_tokens_url: `${api}/access_tokens`,
    repositories_url: `${base}/installation/repositories`,
    html_url: `${base}/organizations/${owner}/settings/installations/${number}`,
    app_id: Number(id) || 1,
    client_id: `Iv1.${id}`,
    app_slug: app.slug,
    target_id: 1,
    target_type: 'Organization',
    permissions: app.permissions,
    events: [],
    created_at: zulu(now),
    updated_at: zulu(now),
    single_file_name: null,
    suspended_by: null,
    suspended_at: null,
  };
}

const BY_TOKEN = 'Resource not accessible by personal access token';
const BY_APP = 'Resource not accessible by integration';

/** A missing permission has other words for Apps, in REST and in GraphQL. */
export function inWordsOfApps(answer: Answer): Answer {
  const words = JSON.stringify(answer.body);
  if (!words?.includes(BY_TOKEN)) return answer;
  return { ...answer, body: JSON.parse(words.replaceAll(BY_TOKEN, BY_APP)) as unknown };
}
