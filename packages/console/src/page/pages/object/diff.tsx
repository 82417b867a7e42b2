/** Any two revisions of an object, field by field. */
import type { JSX } from "preact";
import type { ObjectPath, ObjectRevision } from "../../../protocol.ts";
import { go, here, location } from "../../app/router.ts";
import { useRead } from "../../data/use-read.ts";
import { count, formatTime } from "../../model/format.ts";
import { Empty, Reading } from "../../parts/basics.tsx";
import { ChangeTable } from "../../parts/changes.tsx";

interface DiffTabProps {
  readonly path: ObjectPath;
  readonly revisions: readonly ObjectRevision[];
  readonly shown: number;
}

export function DiffTab({ path, revisions, shown }: DiffTabProps): JSX.Element {
  const to = revisions[shown]?.revision;
  const versus = Number(location.value.query["vs"]);
  const from = Number.isInteger(versus) && versus > 0 ? versus : revisions[shown - 1]?.revision;
  const state = useRead(to === undefined || from === undefined ? undefined : "/api/objects/*/diff", [path], { from, to });
  if (to === undefined) return <Empty title="No revision of it is retained." />;
  const name = (revision: ObjectRevision) =>
    `r${revision.revision}${revision.time === undefined ? "" : `  ${formatTime(revision.time)}`}  ${revision.by}`;
  return (
    <>
      <div class="filters">
        <label class="field-inline">
          <span class="muted">From</span>
          <select value={from} onChange={(event) => go(here({ vs: event.currentTarget.value }), true)}>
            {[...revisions].reverse().map((revision) => (
              <option key={revision.revision} value={revision.revision}>
                {name(revision)}
              </option>
            ))}
          </select>
        </label>
        <label class="field-inline">
          <span class="muted">To</span>
          <select value={to} onChange={(event) => go(here({ at: event.currentTarget.value, vs: from }), true)}>
            {[...revisions].reverse().map((revision) => (
              <option key={revision.revision} value={revision.revision}>
                {name(revision)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {from === undefined ? (
        <Empty title={`r${to} is the first revision that is retained.`} />
      ) : (
        <Reading state={state}>
          {(diff) =>
            diff.changes.length === 0 ? (
              <Empty title={`r${diff.from.revision} and r${diff.to.revision} have the same fields.`} />
            ) : (
              <>
                <p class="muted">
                  {diff.type === "replaced" ? "Another object with the same name. " : ""}
                  {count(diff.changes.length, "field")} {diff.changes.length === 1 ? "differs" : "differ"}; managedFields and
                  resourceVersion are left out.
                </p>
                <ChangeTable changes={diff.changes} from={`r${diff.from.revision}`} to={`r${diff.to.revision}`} />
              </>
            )
          }
        </Reading>
      )}
    </>
  );
}
