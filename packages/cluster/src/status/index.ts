/**
 * The failure language of the API: Status objects, field errors and their exact texts. Everything that can refuse a
 * request throws an ApiError from here; the pipeline turns it into the answer.
 */
export * from "./api-error.ts";
export * from "./field-error.ts";
export { goJson, goNumber, goQuote } from "./go-text.ts";
export * from "./names.ts";
