/**
 * The OpenAPI definitions of the built-in kinds and their nested types, generated. In: nothing. Out: one line per definition, its name, a space and its
 * schema as JSON, without descriptions. A string is cheap to load; readers parse the lines that they need.
 */
export { definitions } from "./generated/definitions.ts";
