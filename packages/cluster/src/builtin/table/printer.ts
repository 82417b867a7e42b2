import type { Json } from "pintle/kinds";
import { age, type TableColumn, type TablePrinter } from "../../api/index.ts";
import type { Loose } from "../draft.ts";

export interface Column<T> extends TableColumn {
  cell(object: Loose<T>, now: number): Json | undefined;
}

type Cell<T> = Column<T>["cell"];

/** Columns in order; a cell without a value is shown as an empty text. */
export function printer<T>(...columns: readonly Column<T>[]): TablePrinter {
  return {
    columns: columns.map(({ cell: _, ...column }) => column),
    cells: (object, now) => columns.map(({ cell }) => cell(object as Loose<T>, now) ?? ""),
  };
}

function column<T>(
  type: TableColumn["type"],
  name: string,
  description: string,
  cell: Cell<T>,
  more: Partial<TableColumn> = {},
): Column<T> {
  return { name, type, format: "", description, priority: 0, cell, ...more };
}

export const text = <T>(name: string, description: string, cell: Cell<T>): Column<T> => column("string", name, description, cell);
export const integer = <T>(name: string, description: string, cell: Cell<T>): Column<T> => column("integer", name, description, cell);
export const flag = <T>(name: string, description: string, cell: Cell<T>): Column<T> => column("boolean", name, description, cell);
/** Shown with -o wide only. */
export const wide = <T>(of: Column<T>): Column<T> => ({ ...of, priority: 1 });

export const NAME: Column<any> = column("string", "Name", "Name of the object", (object) => object.metadata?.name, { format: "name" });
export const AGE: Column<any> = text("Age", "Time since the object was created", (object, now) =>
  since(object.metadata?.creationTimestamp, now),
);

/** What kinds have that say nothing about themselves. */
export const PLAIN: TablePrinter = printer<unknown>(NAME, AGE);

/** How long ago; `<unknown>` when nobody knows. */
export function since(time: string | null | undefined, now: number): string {
  return age(time ?? undefined, now);
}

/** `a=1,b=2`, or `<none>`. */
export function labels(map: Readonly<Record<string, string | null | undefined>> | null | undefined): string {
  const pairs = Object.entries(map ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.sort().join(",");
}

interface LabelSelectorLike {
  readonly matchLabels?: Readonly<Record<string, string | null | undefined>> | null | undefined;
  readonly matchExpressions?: readonly Loose<Requirement>[] | null | undefined;
}
interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** A selector in the language of `kubectl -l`; `<none>` when it says nothing. */
export function selector(of: LabelSelectorLike | null | undefined): string {
  if (!of) return "<none>";
  const parts = Object.entries(of.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  for (const { key = "", operator, values } of of.matchExpressions ?? []) {
    const set = `(${[...(values ?? [])].sort().join(",")})`;
    const text = { In: `${key} in ${set}`, NotIn: `${key} notin ${set}`, Exists: key, DoesNotExist: `!${key}` }[operator ?? ""];
    parts.push({ key: key ?? "", text: text ?? "" });
  }
  if (parts.length === 0) return "<none>";
  return parts
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(",");
}

interface Named {
  readonly name?: string | null | undefined;
  readonly image?: string | null | undefined;
}

/** The two columns about containers that workloads have. */
export function containerColumns<T>(
  containers: (object: Loose<T>) => readonly Named[] | null | undefined,
): readonly [Column<T>, Column<T>] {
  const joined =
    (field: keyof Named): Cell<T> =>
    (object) =>
      (containers(object) ?? []).map((each) => each[field] ?? "").join(",");
  return [
    text("Containers", "Names of the containers in the template", joined("name")),
    text("Images", "Images of the containers in the template", joined("image")),
  ];
}
