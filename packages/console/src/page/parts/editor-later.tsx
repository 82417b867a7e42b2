/** The editor, which is loaded when it is first needed. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ObjectEditorProps } from "../editor/object-editor.tsx";
import { Empty } from "./basics.tsx";

export function EditorLater(props: ObjectEditorProps): JSX.Element | null {
  const [Loaded, setLoaded] = useState<ComponentType<ObjectEditorProps> | undefined>(undefined);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    import("../editor/object-editor.tsx").then(
      (module) => setLoaded(() => module.ObjectEditor),
      () => setFailed(true),
    );
  }, []);
  if (failed) return <Empty title="The editor could not be loaded. Reload to try again." />;
  return Loaded === undefined ? null : <Loaded {...props} />;
}
