/** In this repository packages are their sources; once published there is nothing to say. */
const IN_SOURCES = import.meta.url.endsWith(".ts");

/** What Node must be told to run an operator. */
export const NODE_FLAGS: readonly string[] = IN_SOURCES ? ["--conditions=@pintle/source", "--import", import.meta.resolve("tsx")] : [];

/** What a bundler that takes packages in must be told. */
export const CONDITIONS: readonly string[] = IN_SOURCES ? ["@pintle/source"] : [];
