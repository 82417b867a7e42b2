/** In this repository, packages resolve to their TypeScript sources; published packages need no flags. */
const RUNS_FROM_SOURCE = import.meta.url.endsWith(".ts");

/** Node flags for running an operator. */
export const NODE_FLAGS: readonly string[] = RUNS_FROM_SOURCE
  ? ["--conditions=@pintle/source", "--import", import.meta.resolve("tsx")]
  : [];

/** Package export conditions for bundling an operator with its dependencies. */
export const BUNDLE_CONDITIONS: readonly string[] = RUNS_FROM_SOURCE ? ["@pintle/source"] : [];
