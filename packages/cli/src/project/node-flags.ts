/** What Node must be told to run an operator: nothing, except in this repository, where packages are their sources. */
export const NODE_FLAGS: readonly string[] = import.meta.url.endsWith(".ts")
  ? ["--conditions=@pintle/source", "--import", import.meta.resolve("tsx")]
  : [];
