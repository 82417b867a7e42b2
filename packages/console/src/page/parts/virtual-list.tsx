/**
 * A list of any length as a table with rows of one height, of which at most 60 are in the document. `j` and `k` move the focus between the links of its
 * rows, also to rows that are not drawn yet.
 */
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../app/keys.ts";
import { windowRows } from "./window-rows.ts";

export const ROW_HEIGHT = 28;

export interface Column {
  readonly name: string;
  /** A track of the grid: "120px", "minmax(80px, 1fr)". */
  readonly width: string;
  readonly number?: boolean;
}

interface VirtualListProps {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly count: number;
  /** The cells of a row, one per column. The first link of a row takes the focus, or its first button. */
  readonly row: (index: number) => readonly ComponentChildren[];
  readonly rowKey?: (index: number) => string | number;
  readonly rowClass?: (index: number) => string | undefined;
  /** The most rows that are shown before the list scrolls. Default: the list fills its parent. */
  readonly maxRows?: number;
  /** Whether the end of the list stays in view when rows are added. */
  readonly follow?: boolean;
  readonly onWindow?: (first: number, end: number) => void;
}

export function VirtualList(props: VirtualListProps): JSX.Element {
  const { label, columns, count, row, rowKey = (i) => i, rowClass, maxRows, follow = false, onWindow } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const active = useRef(-1);
  const wanted = useRef(-1);
  const { first, end } = windowRows(count, ROW_HEIGHT, view.top, view.height);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (follow && scroller.current !== null) scroller.current.scrollTop = count * ROW_HEIGHT;
  }, [count, follow]);
  useLayoutEffect(() => onWindow?.(first, end), [first, end]);
  useLayoutEffect(() => {
    if (wanted.current >= first && wanted.current < end) focusRow(wanted.current);
  });

  const focusRow = (index: number) => {
    const row = scroller.current?.querySelector<HTMLElement>(`[aria-rowindex="${index + 2}"]`);
    const target = row?.querySelector<HTMLElement>("a") ?? row?.querySelector<HTMLElement>("button");
    wanted.current = -1;
    target?.focus({ preventScroll: true });
  };
  const move = (by: number) => {
    const element = scroller.current;
    if (element === null || count === 0) return;
    const focused = element.contains(document.activeElement);
    const next = focused ? Math.max(0, Math.min(count - 1, active.current + by)) : Math.max(0, Math.min(active.current, count - 1));
    active.current = next;
    const top = next * ROW_HEIGHT;
    const room = element.clientHeight - ROW_HEIGHT * 2;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top > element.scrollTop + room) element.scrollTop = top - room;
    if (next >= first && next < end) focusRow(next);
    else {
      wanted.current = next;
      setView({ top: element.scrollTop, height: element.clientHeight });
    }
  };
  useKeys({ j: () => move(1), k: () => move(-1) });

  const grid = columns.map(({ width }) => width).join(" ");
  const rows: JSX.Element[] = [];
  for (let i = first; i < end; i++) {
    rows.push(
      <div
        key={rowKey(i)}
        role="row"
        aria-rowindex={i + 2}
        class={`row ${rowClass?.(i) ?? ""}`}
        style={{ top: `${i * ROW_HEIGHT}px`, gridTemplateColumns: grid }}
        onFocusIn={() => {
          active.current = i;
        }}
      >
        {row(i).map((cell, at) => (
          <div role="cell" class={columns[at]?.number === true ? "cell number" : "cell"} key={columns[at]?.name ?? at}>
            {cell}
          </div>
        ))}
      </div>,
    );
  }
  return (
    <div class="list" role="table" aria-label={label} aria-rowcount={count + 1}>
      <div
        class="list-scroll"
        ref={scroller}
        // A list without links must be reachable by keyboard to be scrolled.
        tabIndex={0}
        role="rowgroup"
        aria-label={label}
        style={maxRows === undefined ? undefined : { height: `${Math.min(Math.max(count, 1), maxRows) * ROW_HEIGHT + ROW_HEIGHT + 2}px` }}
        onScroll={(event) => setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
      >
        <div role="row" aria-rowindex={1} class="row list-head" style={{ gridTemplateColumns: grid }}>
          {columns.map(({ name, number }) => (
            <div role="columnheader" class={number === true ? "cell number" : "cell"} key={name}>
              {name}
            </div>
          ))}
        </div>
        <div class="list-body" role="presentation" style={{ height: `${count * ROW_HEIGHT}px` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}
