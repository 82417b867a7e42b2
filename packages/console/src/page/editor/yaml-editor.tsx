/**
 * A YAML editor. It lives in a shadow root, where CodeMirror puts its styles into adopted style sheets: the page's content security policy forbids style
 * elements.
 */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A problem of a part of the text. */
export interface TextProblem {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

interface YamlEditorProps {
  readonly label: string;
  readonly text: string;
  readonly problems: readonly TextProblem[];
  readonly onChange: (text: string) => void;
}

const theme = EditorView.theme({
  "&": {
    color: "var(--text)",
    backgroundColor: "var(--surface)",
    fontSize: "12px",
    border: "1px solid var(--line-strong)",
    borderRadius: "4px",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px", maxHeight: "60vh", minHeight: "240px", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--muted)", border: "none" },
  ".cm-activeLine": { backgroundColor: "var(--hover)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selected)",
  },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--line-strong)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
});
const colors = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--mark)" },
  { tag: tags.comment, color: "var(--muted)" },
]);

export function YamlEditor({ label, text, problems, onChange }: YamlEditorProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const changed = useRef(onChange);
  changed.current = onChange;
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          highlightActiveLine(),
          lintGutter(),
          yaml(),
          syntaxHighlighting(colors),
          theme,
          // Tab leaves the editor, as it leaves every field.
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.contentAttributes.of({ "aria-label": label }),
          EditorView.lineWrapping,
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    const end = editor.state.doc.length;
    const diagnostics = problems.map(
      ({ from, to, message }): Diagnostic => ({
        from: Math.min(from, end),
        to: Math.min(Math.max(to, from), end),
        severity: "error",
        message,
      }),
    );
    editor.dispatch(setDiagnostics(editor.state, diagnostics));
  }, [problems]);
  return <div ref={host} class="editor" />;
}
