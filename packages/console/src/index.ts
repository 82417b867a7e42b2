/**
 * `@pintle/console`: the page about what an operator does, served by the operator itself. `pintle dev`, `pintle trace open` and `pintle console` serve it without this.
 */
export { type ConsolePageOptions, consolePage } from "./production/index.ts";
