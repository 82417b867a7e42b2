/** The part of a long list that is in the document. */
export interface RowWindow {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

/** No list has more rows than this in the document. */
export const MAX_ROWS = 60;
const OVERSCAN = 6;

/** Returns the rows to draw around what is visible. */
export function windowRows(count: number, rowHeight: number, scrollTop: number, height: number): RowWindow {
  const visible = Math.min(Math.ceil(height / rowHeight) + 1, MAX_ROWS);
  const overscan = Math.min(OVERSCAN, Math.floor((MAX_ROWS - visible) / 2));
  const top = Math.max(0, Math.min(Math.floor(scrollTop / rowHeight), count - visible));
  return { first: Math.max(0, top - overscan), end: Math.min(count, top + visible + overscan) };
}
