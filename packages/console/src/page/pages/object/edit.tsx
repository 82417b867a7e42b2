/** Changes an object: its text as it is now, with the schema of its kind where there is one. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { at, here } from "../../app/router.ts";
import { useRead } from "../../data/use-read.ts";
import { withoutServerFields } from "../../model/server-fields.ts";
import { Empty } from "../../parts/basics.tsx";
import { EditorLater } from "../../parts/editor-later.tsx";

interface EditTabProps {
  readonly yaml: string;
  readonly title: string;
  readonly apiVersion: string;
  readonly kind: string;
}

export function EditTab({ yaml, title, apiVersion, kind }: EditTabProps): JSX.Element | null {
  // What is typed stays, whatever happens to the object meanwhile.
  const [start] = useState(() => withoutServerFields(yaml));
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["core", apiVersion];
  const schema = useRead("/api/schemas/:group/:version/:kind", [group ?? "core", version ?? "v1", kind], { at: undefined });
  if (at.value !== undefined)
    return (
      <Empty title={`This is the object as it was at r${at.value}.`}>
        <a href={here({ at: undefined })}>Edit it as it is now</a>
      </Empty>
    );
  if (schema.data === undefined && schema.error === undefined) return null;
  return <EditorLater label={title} start={start} schema={schema.data?.schema} />;
}
