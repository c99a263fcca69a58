export function temporaryFolder(t: { teardown(act: () => unknown): unknown }, name: string): string;
export function removeFolder(folder: string): Promise<void>;
