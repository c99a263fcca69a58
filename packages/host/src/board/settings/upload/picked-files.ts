/** A file that the reader chose, with its path below the chosen folder. */
export interface PickedFile {
  /** With `/`, such as `assets/app.js`. */
  readonly name: string;
  readonly file: File;
}

/** What an `<input type="file">` has. The name of the folder itself is no part of the paths, as with `culprit sourcemaps upload`. */
export function chosenFiles(files: Iterable<File>): readonly PickedFile[] {
  return [...files].map((file) => ({
    name: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath.replace(/^[^/]*\//, ''),
    file,
  }));
}

/** What was dropped: files, or folders with all that is in them. Must be called while the event is handled. */
export async function droppedFiles(items: Iterable<DataTransferItem>): Promise<readonly PickedFile[]> {
  // Files that are not from the disk, such as those of another page, have no entry.
  const all = [...items].map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const found: PickedFile[] = all.flatMap(({ entry, file }) =>
    entry === null && file !== null ? [{ name: file.name, file }] : [],
  );
  const entries = all.flatMap(({ entry }) => entry ?? []);
  const [only] = entries;
  const roots = all.length === 1 && only !== undefined && isFolder(only) ? await inside(only) : entries;
  for (const entry of roots) await collect(entry, '', found);
  return found;
}

async function collect(entry: FileSystemEntry, folder: string, found: PickedFile[]): Promise<void> {
  const name = `${folder}${entry.name}`;
  if (isFolder(entry)) {
    for (const one of await inside(entry)) await collect(one, `${name}/`, found);
    return;
  }
  const file = await new Promise<File>((resolve, reject) =>
    (entry as FileSystemFileEntry).file(resolve, reject),
  );
  found.push({ name, file });
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/** A browser reads a folder about a hundred entries at a time. */
async function inside(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}
