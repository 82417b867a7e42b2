/**
 * The server of the console: a loopback listener that only its own page can use, and the routes of `protocol.ts`.
 */
export { createAccessKey } from "./access-key.ts";
