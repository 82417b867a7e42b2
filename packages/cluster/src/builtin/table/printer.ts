import type { Json } from "pintle/kinds";
import { age, type TableColumn, type TablePrinter } from "../../api/index.ts";
import type { Loose } from "../draft.ts";
import { DESCRIPTIONS } from "./descriptions.ts";

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

function column<T>(type: TableColumn["type"], name: string, cell: Cell<T>, format = ""): Column<T> {
  return { name, type, format, description: DESCRIPTIONS[name] ?? "", priority: 0, cell };
}

export const text = <T>(name: string, cell: Cell<T>): Column<T> => column("string", name, cell);
export const integer = <T>(name: string, cell: Cell<T>): Column<T> => column("integer", name, cell);
export const flag = <T>(name: string, cell: Cell<T>): Column<T> => column("boolean", name, cell);
/** Shown with -o wide only. */
export const wide = <T>(of: Column<T>): Column<T> => ({ ...of, priority: 1 });
/** The column that is, or counts as, the name of the object. */
export const name = <T>(of: string, cell: Cell<T>): Column<T> => column("string", of, cell, "name");

export const NAME: Column<any> = name("Name", (object) => object.metadata?.name);
export const AGE: Column<any> = text("Age", (object, now) => since(object.metadata?.creationTimestamp, now));

/** Kinds that have no columns of their own. */
export const PLAIN: TablePrinter = printer<any>(
  NAME,
  column("date", "Created At", (object) => object.metadata?.creationTimestamp),
);
/** Kinds that show no more than their name and age. */
export const AGED: TablePrinter = printer<any>(NAME, AGE);

/** How long ago; `<unknown>` when nobody knows. */
export function since(time: string | null | undefined, now: number): string {
  return age(time || undefined, now);
}

type Texts = Readonly<Record<string, string | null | undefined>>;

/** `a=1,b=2`, or `<none>`. */
export function labels(map: Texts | null | undefined): string {
  const pairs = Object.entries(map ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.sort().join(",");
}

interface SelectorLike {
  readonly matchLabels?: Texts | null | undefined;
  readonly matchExpressions?:
    | readonly Loose<{ readonly key: string; readonly operator: string; readonly values: readonly string[] }>[]
    | null
    | undefined;
}

/** A selector in the language of `kubectl -l`; empty when it selects everything or nothing. */
export function selectorText(of: SelectorLike | null | undefined): string {
  const parts = Object.entries(of?.matchLabels ?? {}).map(([key, value]) => [key, `${key}=${value}`] as const);
  const more = (of?.matchExpressions ?? []).map(({ key, operator, values }) => {
    const set = `(${[...(values ?? [])].sort().join(",")})`;
    const text = { In: `${key} in ${set}`, NotIn: `${key} notin ${set}`, Exists: `${key}`, DoesNotExist: `!${key}` }[operator ?? ""];
    return [key ?? "", text ?? ""] as const;
  });
  return [...parts, ...more]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, text]) => text)
    .join(",");
}

export function selector(of: SelectorLike | null | undefined): string {
  return selectorText(of) || "<none>";
}

/** The first few of a list, and how many more there are. */
export function few(list: readonly string[], shown = 3, separator = ","): string {
  const some = list.slice(0, shown).join(separator);
  return list.length > shown ? `${some} + ${list.length - shown} more...` : some;
}

interface ContainerLike {
  readonly name?: string | null | undefined;
  readonly image?: string | null | undefined;
}

/** The columns about containers that workloads have. */
export function containerColumns<T>(
  containers: (object: Loose<T>) => readonly ContainerLike[] | null | undefined,
): readonly [Column<T>, Column<T>] {
  const joined =
    (field: keyof ContainerLike): Cell<T> =>
    (object) =>
      (containers(object) ?? []).map((each) => each[field] ?? "").join(",");
  return [text("Containers", joined("name")), text("Images", joined("image"))];
}
