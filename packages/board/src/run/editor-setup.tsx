import { editorProblem, editorTemplate, setEditorTemplate } from './editor-link.js';

/** Sets the editor once for this browser; every located frame then has an *Edit* link. */
export function EditorSetup() {
  const template = editorTemplate.value;
  const problem = editorProblem(template);
  return (
    <details class="components">
      <summary>{template === '' ? 'Open frames in your editor' : 'Editor links'}</summary>
      <div class="editor-setup">
        <label for="editor-template">Link to a line of your checkout</label>
        <input
          id="editor-template"
          class="mono"
          value={template}
          placeholder="vscode://file/home/ada/shop/{path}:{line}"
          spellcheck={false}
          aria-describedby="editor-hint"
          onChange={({ currentTarget }) => setEditorTemplate(currentTarget.value)}
        />
        <p class={problem === null ? 'soft' : 'problem'} id="editor-hint">
          {problem ?? 'Stored in this browser. {project}, {path} and {line} are replaced.'}
        </p>
      </div>
    </details>
  );
}
