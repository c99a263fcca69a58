// Without Node's APIs: the board's page writes archives, too.

/** A built file, and the source map that it names. */
export interface MappedScript {
  /** The path of the built file below the folder, with `/`. */
  readonly name: string;
  /** Identifies the map: several files may share one. */
  readonly map: string;
  readonly debug_id: string | null;
}

export interface ArchiveFacts {
  readonly project: string;
  readonly release: string | null;
  readonly dist: string | null;
  /** Before the names of the files: `~/` or `https://cdn.example/assets/`. */
  readonly urlPrefix: string;
}

export interface ArchivePlan {
  /** The maps, each once, by the name of its entry in the archive. */
  readonly maps: readonly { readonly entry: string; readonly map: string }[];
  /** The text of `manifest.json`, as sentry-cli writes it. */
  readonly manifest: string;
}

/** What the archive of an upload contains. Built files are only described: core keeps nothing but the maps. */
export function planArchive(
  files: readonly MappedScript[],
  { urlPrefix, project, release, dist }: ArchiveFacts,
): ArchivePlan {
  const described: Record<string, object> = {};
  const entries = new Map<string, string>();
  for (const { name, map, debug_id } of files) {
    const known = entries.get(map);
    const entry = known ?? `files/${entries.size}/${name.split('/').at(-1)}.map`;
    const url = `${urlPrefix}${name}`;
    const id = debug_id === null ? {} : { 'debug-id': debug_id };
    described[`scripts/${name}`] = {
      type: 'minified_source',
      url,
      headers: { ...id, sourcemap: `~/${entry}` },
    };
    if (known !== undefined) continue;
    entries.set(map, entry);
    described[entry] = { type: 'source_map', url: `~/${entry}`, headers: id };
  }
  const manifest = { files: described, project, ...(release && { release }), ...(dist && { dist }) };
  return {
    maps: [...entries].map(([map, entry]) => ({ entry, map })),
    manifest: JSON.stringify(manifest),
  };
}
