/** The pages of the navigation. */

/** Pages in order, with the key after `g`. */
export const PAGES = [
  { path: "", name: "Now", key: "n" },
  { path: "objects", name: "Objects", key: "o" },
  { path: "activity", name: "Activity", key: "a" },
  { path: "runs", name: "Runs", key: "r" },
  { path: "requests", name: "Requests", key: "q" },
  { path: "chain", name: "Chain", key: "c" },
  { path: "watches", name: "Watches", key: "w" },
  { path: "speed", name: "Speed", key: "s" },
  { path: "lab", name: "Lab", key: "l" },
  { path: "schema", name: "Schema", key: "e" },
] as const;

/** The page that a first path segment belongs to. */
export const PARENTS: Readonly<Record<string, string>> = { o: "objects", run: "runs" };
