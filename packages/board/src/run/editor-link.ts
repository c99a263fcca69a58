import { signal } from '@preact/signals';
import { inAddress } from '../parts/text.js';
import { storedPreference, storePreference } from '../state/theme.js';

const KEY = 'culprit.editor';
/** Schemes that editors register. Anything else could run a script or leave the machine. */
const EDITORS =
  /^(?:vscode|vscode-insiders|vscodium|cursor|windsurf|zed|idea|webstorm|phpstorm|pycharm|goland|rider|jetbrains|subl|txmt|mvim|emacs):\/\//;

/** `vscode://file/home/ada/shop/{path}:{line}`; empty if the reviewer has not set it. */
export const editorTemplate = signal(storedPreference(KEY) ?? '');

export function setEditorTemplate(text: string): void {
  editorTemplate.value = text.trim();
  storePreference(KEY, text.trim());
}

/** Why a template cannot be used; `null` if it can, or is empty. */
export function editorProblem(template: string): string | null {
  if (template === '') return null;
  if (!EDITORS.test(template)) return 'Start with the scheme of an editor, such as vscode:// or idea://.';
  return template.includes('{path}') ? null : 'Add {path} where the path in the repository belongs.';
}

/** The link to a line in the reviewer's own checkout; `null` without a template. */
export function editorLink(project: string, path: string, line: number): string | null {
  const template = editorTemplate.value;
  if (template === '' || editorProblem(template) !== null || path.split('/').includes('..')) return null;
  const values: Readonly<Record<string, string>> = {
    path: path.split('/').map(inAddress).join('/'),
    line: String(line),
    project: inAddress(project),
  };
  return template.replace(/\{(path|line|project)\}/g, (_, name: string) => values[name] ?? '');
}
