import * as v from 'valibot';

/** `manifest.json` of an artifact bundle, as sentry-cli and the bundler plugins write it. Unknown members are ignored. */
const manifestSchema = v.object({
  files: v.record(
    v.string(),
    v.object({
      type: v.optional(v.string()),
      url: v.optional(v.string()),
      headers: v.optional(v.record(v.string(), v.unknown())),
    }),
  ),
});

/** A source map of an archive, and the built files that it is for. */
export interface BundledMap {
  /** The name of the map's entry in the archive. */
  readonly entry: string;
  readonly built: readonly { readonly url: string | null; readonly debug_id: string | null }[];
}

const URL_CHARS = 1024;
const DEBUG_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Described {
  readonly entry: string;
  readonly url: string;
  readonly debug_id: string | null;
  readonly map: string | null;
}

/** The source maps that a manifest describes. A built file names its map by debug id or by `sourcemap`. */
export function bundledMaps(json: unknown): readonly BundledMap[] {
  const { files } = v.parse(manifestSchema, json);
  const maps: Described[] = [];
  const scripts: Described[] = [];
  for (const [entry, { type, url = '', headers = {} }] of Object.entries(files)) {
    const header = (name: string) => {
      const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
      return typeof found === 'string' ? found : null;
    };
    const id = header('debug-id')?.toLowerCase() ?? null;
    const debug_id = id !== null && DEBUG_ID.test(id) ? id : null;
    const described = { entry, url: url.slice(0, URL_CHARS), debug_id, map: header('sourcemap') };
    if (type === 'source_map') maps.push(described);
    if (type === 'minified_source') scripts.push(described);
  }
  const byUrl = new Map(maps.map((map) => [map.url, map]));
  const byId = new Map(maps.flatMap((map) => (map.debug_id === null ? [] : [[map.debug_id, map] as const])));
  const built = new Map<Described, { url: string | null; debug_id: string | null }[]>(
    maps.map((map) => [map, []]),
  );
  for (const { url, debug_id, map } of scripts) {
    const named = map === null ? null : byUrl.get(relativeTo(url, map));
    const found = byId.get(debug_id ?? '') ?? named ?? byUrl.get(`${url}.map`);
    if (found) built.get(found)?.push({ url, debug_id: debug_id ?? found.debug_id });
  }
  return maps.map((map) => {
    const own = built.get(map) ?? [];
    const alone = { url: /\.map$/.test(map.url) ? map.url.slice(0, -4) : null, debug_id: map.debug_id };
    return { entry: map.entry, built: own.length === 0 ? [alone] : own };
  });
}

/** `~/assets/app.js` and `../maps/app.js.map` give `~/maps/app.js.map`. */
function relativeTo(url: string, reference: string): string {
  if (/^(?:~\/|[a-z][a-z0-9+.-]*:)/i.test(reference)) return reference;
  const host = /^(?:~|[a-z][a-z0-9+.-]*:\/\/[^/]*)/i.exec(url)?.[0] ?? '';
  const parts = reference.startsWith('/') ? [] : url.slice(host.length).split('/').slice(1, -1);
  for (const part of reference.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return `${host}/${parts.join('/')}`;
}
