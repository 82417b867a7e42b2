/** All objects: by owner, or as a list of one kind. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ObjectSummary } from "../../protocol.ts";
import { go, here, location } from "../app/router.ts";
import { useRead } from "../data/use-read.ts";
import { count } from "../model/format.ts";
import { listTree, type TreeRow } from "../model/owner-tree.ts";
import { Empty, Mark, ObjectLink, Reading, Relative, STATE_TONES, Title } from "../parts/basics.tsx";
import { FilterInput, FilterSelect, Toggle } from "../parts/filters.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { LifecycleObjects } from "./lifecycle.tsx";

const COLUMNS = [
  { name: "Object", width: "minmax(180px, 3fr)" },
  { name: "Kind", width: "minmax(88px, 1fr)" },
  { name: "State", width: "minmax(120px, 2fr)" },
  { name: "Age", width: "96px", number: true },
  { name: "Revision", width: "80px", number: true },
];
const STATES = [
  ["", "any"],
  ["failed", "failed"],
  ["progressing", "progressing"],
  ["ok", "ok"],
] as const;

export function Objects(): JSX.Element {
  const {
    kind = "",
    namespace,
    q,
    label,
    state,
    deleted,
    view = kind === "" && q === undefined && state === undefined ? "tree" : "list",
  } = location.value.query;
  const kinds = useRead("/api/kinds");
  const asTree = view === "tree";
  const options = [
    ["", "all"] as const,
    ...(kinds.data?.kinds ?? [])
      .filter((each) => each.count > 0 || each.own)
      .sort((a, b) => Number(b.own) - Number(a.own) || a.kind.localeCompare(b.kind))
      .map((each) => [`${each.group || "core"}/${each.resource}`, `${each.kind} (${each.count})`] as const),
  ];
  return (
    <div class="page fill">
      <Title title="Objects" />
      <div class="filters">
        <FilterInput label="Filter objects" name="q" />
        <FilterSelect label="Kind" name="kind" options={options} />
        <FilterSelect label="State" name="state" options={STATES} />
        <Toggle pressed={deleted === "1"} onClick={() => go(here({ deleted: deleted === "1" ? undefined : 1, view: "list" }), true)}>
          Deleted, too
        </Toggle>
        <div class="toggles" role="group" aria-label="View">
          <Toggle
            pressed={asTree}
            onClick={() => go(here({ view: "tree", q: undefined, kind: undefined, state: undefined, deleted: undefined }), true)}
          >
            By owner
          </Toggle>
          <Toggle pressed={!asTree} onClick={() => go(here({ view: "list" }), true)}>
            List
          </Toggle>
        </div>
      </div>
      {asTree ? <Tree /> : <List query={{ kind, namespace, q, label, state, deleted: deleted === "1" ? true : undefined }} />}
      <LifecycleObjects />
    </div>
  );
}

function Tree(): JSX.Element {
  const state = useRead("/api/tree");
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => listTree(state.data?.nodes ?? [], closed), [state.data, closed]);
  const toggle = ({ object, open }: TreeRow) => {
    const next = new Set(closed);
    if (open) next.add(object.uid);
    else next.delete(object.uid);
    setClosed(next);
  };
  return (
    <Reading state={state}>
      {({ leftOut, nodes }) => (
        <>
          {nodes.length === 0 ? (
            <Empty title="The operator has no objects at this moment.">
              <a href={here({ view: "list" })}>List everything in the cluster</a>
            </Empty>
          ) : (
            <ObjectTable
              label="Objects by owner"
              objects={rows.map(({ object }) => object)}
              before={(i) => {
                const row = rows[i];
                if (row === undefined) return null;
                return (
                  <span class="tree" style={{ paddingInlineStart: `${(row.level - 1) * 20}px` }}>
                    {row.children > 0 ? (
                      <button
                        type="button"
                        class="plain fold"
                        aria-expanded={row.open}
                        aria-label={`Children of ${row.object.name}`}
                        onClick={() => toggle(row)}
                      >
                        {row.open ? "▾" : "▸"}
                      </button>
                    ) : (
                      <span class="fold" />
                    )}
                  </span>
                );
              }}
            />
          )}
          {Object.keys(leftOut).length > 0 && (
            <p class="muted">
              Left out, because nothing is wrong with them:{" "}
              {Object.entries(leftOut)
                .map(([kind, number]) => `${number} ${kind}`)
                .join(", ")}
              .
            </p>
          )}
        </>
      )}
    </Reading>
  );
}

function List({ query }: { readonly query: Readonly<Record<string, string | boolean | undefined>> }): JSX.Element {
  const state = useRead("/api/objects", [], { ...query, limit: 5_000 });
  return (
    <Reading state={state}>
      {({ items, total }) =>
        items.length === 0 ? (
          <Empty title="No object matches.">
            <a href={here({ q: undefined, kind: undefined, state: undefined, label: undefined })}>Remove the filters</a>
          </Empty>
        ) : (
          <>
            <p class="muted" role="status">
              {count(total, "object")}
              {total > items.length ? `, the first ${items.length} are shown` : ""}
            </p>
            <ObjectTable label="Objects" objects={items} />
          </>
        )
      }
    </Reading>
  );
}

interface ObjectTableProps {
  readonly label: string;
  readonly objects: readonly ObjectSummary[];
  readonly before?: (index: number) => JSX.Element | null;
  readonly maxRows?: number;
}

export function ObjectTable({ label, objects, before, maxRows }: ObjectTableProps): JSX.Element {
  return (
    <VirtualList
      label={label}
      columns={COLUMNS}
      count={objects.length}
      {...(maxRows === undefined ? {} : { maxRows })}
      rowKey={(i) => `${objects[i]?.uid} ${objects[i]?.path}`}
      rowClass={(i) => (objects[i]?.deleted === undefined ? undefined : "gone")}
      row={(i) => {
        const object = objects[i];
        if (object === undefined) return [];
        return [
          <span key="o" class="object-cell">
            {before?.(i)}
            <ObjectLink path={object.path}>
              {object.namespace === undefined ? "" : <span class="muted">{object.namespace}/</span>}
              {object.name}
            </ObjectLink>
          </span>,
          <span key="k" class="muted">
            {object.kind}
          </span>,
          <Mark key="s" tone={object.deleted === undefined ? STATE_TONES[object.state] : "plain"}>
            {object.deleted !== undefined ? "deleted" : object.deleting !== undefined ? `deleting, ${object.stateText}` : object.stateText}
          </Mark>,
          <span key="a" class="muted">
            {object.created === undefined ? "" : <Relative time={object.created} />}
          </span>,
          <span key="r" class="mono muted">
            r{object.revision}
          </span>,
        ];
      }}
    />
  );
}
