/** How a probe went: undefined is well, a text says why not. */
export type Answer = string | undefined;
