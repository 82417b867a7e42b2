/** What may be written: the documentation of a kind, and an editor that starts with a sample. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SchemaDetail, SchemaList } from "../../protocol.ts";
import { pageHref } from "../app/links.ts";
import { here, location } from "../app/router.ts";
import { useRead } from "../data/use-read.ts";
import { formatLimits, formatType, listFields } from "../model/form-fields.ts";
import { can, Empty, Reading, Title } from "../parts/basics.tsx";
import { EditorLater } from "../parts/editor-later.tsx";
import { FilterInput } from "../parts/filters.tsx";

export function Schema({ path }: { readonly path: readonly string[] }): JSX.Element {
  const state = useRead("/api/schemas");
  const [group, version, kind] = path;
  return (
    <div class="page">
      <Reading state={state}>
        {(list) => {
          const first = list.schemas.find(({ own }) => own);
          const chosen =
            kind === undefined
              ? first
              : list.schemas.find((each) => (each.group || "core") === group && each.version === version && each.kind === kind);
          return (
            <div class="schema">
              <Kinds list={list} chosen={chosen} />
              <div class="schema-body">
                {chosen === undefined ? (
                  <Empty title="Choose a kind." />
                ) : (
                  <OneSchema key={`${chosen.group} ${chosen.version} ${chosen.kind}`} chosen={chosen} />
                )}
              </div>
            </div>
          );
        }}
      </Reading>
    </div>
  );
}

type SchemaEntry = SchemaList["schemas"][number];

function Kinds({ list, chosen }: { readonly list: SchemaList; readonly chosen: SchemaEntry | undefined }): JSX.Element {
  const text = (location.value.query["kind"] ?? "").toLowerCase();
  const shown = list.schemas.filter(({ kind, group }) => `${kind} ${group}`.toLowerCase().includes(text));
  return (
    <nav class="kinds" aria-label="Kinds">
      <FilterInput label="Filter kinds" name="kind" placeholder="Kind" />
      <ul>
        {shown.map((each) => (
          <li key={`${each.group} ${each.version} ${each.kind}`}>
            <a
              href={pageHref(["schema", each.group || "core", each.version, each.kind], { kind: location.value.query["kind"] })}
              aria-current={each === chosen ? "page" : undefined}
              class={each.own ? "own" : ""}
            >
              {each.kind}{" "}
              <span class="muted">{each.group === "" || each.group === "core" ? each.version : `${each.group}/${each.version}`}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function OneSchema({ chosen }: { readonly chosen: SchemaEntry }): JSX.Element {
  const state = useRead("/api/schemas/:group/:version/:kind", [chosen.group || "core", chosen.version, chosen.kind]);
  const editing = location.value.query["tab"] === "new";
  return (
    <>
      <Title title={chosen.kind}>
        <span class="muted">
          {chosen.group === "" || chosen.group === "core" ? "" : `${chosen.group}/`}
          {chosen.version}
        </span>
      </Title>
      <nav class="tabs" aria-label={chosen.kind}>
        <a href={here({ tab: undefined })} aria-current={editing ? undefined : "page"}>
          Documentation
        </a>
        {can("edit") && (
          <a href={here({ tab: "new" })} aria-current={editing ? "page" : undefined}>
            Write one
          </a>
        )}
      </nav>
      <Reading state={state}>
        {(detail) =>
          editing && can("edit") ? (
            <EditorLater label={detail.kind} start={detail.sample} schema={detail.schema} />
          ) : (
            <Documentation detail={detail} />
          )
        }
      </Reading>
    </>
  );
}

function Documentation({ detail }: { readonly detail: SchemaDetail }): JSX.Element {
  const [depth, setDepth] = useState(3);
  const all = listFields(detail.schema).filter(({ path }) => path[0] !== "metadata");
  const fields = all.filter(({ level }) => level < depth);
  return (
    <>
      {detail.description !== "" && <p class="wrap prose">{detail.description}</p>}
      <div class="scroll-x" tabIndex={0} role="group" aria-label={`Fields of ${detail.kind}`}>
        <table class="grid fields-table">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Type</th>
              <th scope="col">Limits</th>
              <th scope="col">Description</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={field.name}>
                <th scope="row" style={{ paddingInlineStart: `${8 + field.level * 16}px` }}>
                  <code>{field.path.at(-1)}</code>
                  {field.required && <span class="muted"> required</span>}
                </th>
                <td class="muted">{formatType(field.schema)}</td>
                <td class="wrap">
                  {formatLimits(field.schema).join(", ")}
                  {field.schema.default !== undefined && <span class="muted"> default {JSON.stringify(field.schema.default)}</span>}
                </td>
                <td class="wrap prose">{field.schema.description ?? ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {fields.length < all.length && (
        <button type="button" onClick={() => setDepth(depth + 2)}>
          Deeper fields ({all.length - fields.length})
        </button>
      )}
    </>
  );
}
