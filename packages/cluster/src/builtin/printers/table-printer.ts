import { formatLabelSelector } from "pintle/internal/selectors";
import type { Json } from "pintle/kinds";
import { formatAge, type TableColumn, type TablePrinter } from "../../api/index.ts";
import type { Unvalidated } from "../draft.ts";
import { toLabelSelector, type UnvalidatedSelector } from "../validation/labels.ts";
import { COLUMN_DESCRIPTIONS } from "./column-descriptions.ts";

export interface TablePrinterColumn<T> extends TableColumn {
  formatCell(object: Unvalidated<T>, now: number): Json | undefined;
}

type CellFormatter<T> = TablePrinterColumn<T>["formatCell"];

/** Creates a printer from its columns; cells without a value are "". */
export function createTablePrinter<T>(...columns: readonly TablePrinterColumn<T>[]): TablePrinter {
  return {
    columns: columns.map(({ formatCell: _, ...column }) => column),
    cells: (object, now) => columns.map(({ formatCell }) => formatCell(object as Unvalidated<T>, now) ?? ""),
  };
}

function createColumn<T>(type: TableColumn["type"], name: string, formatCell: CellFormatter<T>, format = ""): TablePrinterColumn<T> {
  return { name, type, format, description: COLUMN_DESCRIPTIONS[name] ?? "", priority: 0, formatCell };
}

export const stringColumn = <T>(name: string, cell: CellFormatter<T>): TablePrinterColumn<T> => createColumn("string", name, cell);
export const integerColumn = <T>(name: string, cell: CellFormatter<T>): TablePrinterColumn<T> => createColumn("integer", name, cell);
export const booleanColumn = <T>(name: string, cell: CellFormatter<T>): TablePrinterColumn<T> => createColumn("boolean", name, cell);
/** Marks a column as shown with `-o wide` only. */
export const wideColumn = <T>(of: TablePrinterColumn<T>): TablePrinterColumn<T> => ({ ...of, priority: 1 });
/** Creates a column with the format "name". */
export const nameColumn = <T>(of: string, cell: CellFormatter<T>): TablePrinterColumn<T> => createColumn("string", of, cell, "name");

export const NAME_COLUMN: TablePrinterColumn<any> = nameColumn("Name", (object) => object.metadata?.name);
export const AGE_COLUMN: TablePrinterColumn<any> = stringColumn("Age", (object, now) =>
  formatTimeSince(object.metadata?.creationTimestamp, now),
);

/** Printer of kinds without columns of their own. */
export const DEFAULT_PRINTER: TablePrinter = createTablePrinter<any>(
  NAME_COLUMN,
  createColumn("date", "Created At", (object) => object.metadata?.creationTimestamp),
);
/** Printer of kinds with name and age only. */
export const NAME_AND_AGE_PRINTER: TablePrinter = createTablePrinter<any>(NAME_COLUMN, AGE_COLUMN);

/** Formats the time since a timestamp; `<unknown>` without one. */
export function formatTimeSince(time: string | null | undefined, now: number): string {
  return formatAge(time || undefined, now);
}

type StringMap = Readonly<Record<string, string | null | undefined>>;

/** Formats labels: `a=1,b=2`, or `<none>`. */
export function formatLabels(map: StringMap | null | undefined): string {
  const pairs = Object.entries(map ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.sort().join(",");
}

/** Formats a selector as for `kubectl -l`; "" if it selects everything or nothing. */
export function formatSelector(selector: UnvalidatedSelector): string {
  return formatLabelSelector(toLabelSelector(selector));
}

export function formatSelectorOrNone(selector: UnvalidatedSelector): string {
  return formatSelector(selector) || "<none>";
}

/** Formats the first entries of a list and the number of the remaining ones. */
export function formatFirst(list: readonly string[], max = 3, separator = ","): string {
  const some = list.slice(0, max).join(separator);
  return list.length > max ? `${some} + ${list.length - max} more...` : some;
}

interface ContainerLike {
  readonly name?: string | null | undefined;
  readonly image?: string | null | undefined;
}

/** Creates the container columns of workloads. */
export function createContainerColumns<T>(
  containers: (object: Unvalidated<T>) => readonly ContainerLike[] | null | undefined,
): readonly [TablePrinterColumn<T>, TablePrinterColumn<T>] {
  const joined =
    (field: keyof ContainerLike): CellFormatter<T> =>
    (object) =>
      (containers(object) ?? []).map((each) => each[field] ?? "").join(",");
  return [stringColumn("Containers", joined("name")), stringColumn("Images", joined("image"))];
}
